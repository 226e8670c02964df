import { caselessPattern } from '../../domain/repo/caseless-pattern.ts';
import { listAdministeredGroups } from '../../domain/groups/repo-group-list-store.ts';
import type { MethodHandler } from '../context.ts';
import { cutPage } from '../read-list.ts';
import { requireUser } from '../../domain/user/user-store.ts';
import { listListedUserGroups, requireListedUserGroup } from '../../domain/groups/user-group-list-store.ts';
import { listListedUsers, requireListedUser, toListedUser } from '../../domain/user/user-list-store.ts';
import { requireUserGroup } from '../../domain/groups/user-group-store.ts';
import { readMemberPage } from '../../domain/repo/member-page.ts';
import { pageOfUserGroups, pageOfUsers } from '../../domain/groups/repo-group-member-store.ts';
import { findRepositoryNames } from '../../domain/repo/readable-names-store.ts';
import { findStranded } from '../../jobs/runners/end-without-storage.ts';
import { listGrants } from '../../domain/user/held-row-store.ts';
import { requireOneNamed, requirePrincipal } from '../../domain/user/principal.ts';
import { findRepoGroup } from '../../domain/groups/repo-group-read-store.ts';
import { sizeOfGroup, sizeOfOwner } from '../../domain/repo/stored-size-store.ts';

export const browseRepoGroups: MethodHandler<'browse_repo_groups'> = async ({ filter, limit, cursor }, { db }) => {
  const pattern = filter === null ? null : caselessPattern(filter);
  const rows = await listAdministeredGroups(db, pattern, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ group_name: name }) => name);
  return { groups: shown, next };
};

export const browseUserGroups: MethodHandler<'browse_user_groups'> = async (
  { filter, userid, limit, cursor },
  { db },
) => {
  const member = userid && (await requireUser(db, userid));
  const wanted = { pattern: filter === null ? null : caselessPattern(filter), memberId: member && member.id };
  const rows = await listListedUserGroups(db, wanted, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ group_name: name }) => name);
  return { groups: shown, next };
};

export const browseUsers: MethodHandler<'browse_users'> = async ({ filter, usersgroupid, limit, cursor }, { db }) => {
  const group = usersgroupid && (await requireUserGroup(db, usersgroupid));
  const wanted = { pattern: filter === null ? null : caselessPattern(filter), memberOf: group && group.id };
  const rows = await listListedUsers(db, wanted, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ username }) => username);
  return { users: shown.map(toListedUser), next };
};

export const listGroupMembers: MethodHandler<'list_group_members'> = async ({ repogroupid: id, ...page }, { db }) =>
  readMemberPage('group', page, {
    users: (part) => pageOfUsers(db, id, part),
    groups: (part) => pageOfUserGroups(db, id, part),
  });

export const listRepositoryNames: MethodHandler<'list_repository_names'> = async ({ ids }, { db }) => ({
  repositories: (await findRepositoryNames(db, ids)).map(({ id, name }) => ({ repo_id: id, repo_name: name })),
});

export const listStrandedOperations: MethodHandler<'list_stranded_operations'> = async ({ ids }, { db }) => ({
  operation_ids: await findStranded(db, ids),
});

export const viewGlobalGrants: MethodHandler<'view_global_grants'> = async (named, { db }) => {
  const { kind, ref } = requireOneNamed(named);
  const { id } = await requirePrincipal(db, kind, ref);
  return { permissions: await listGrants(db, kind, id) };
};

export const viewRepoGroup: MethodHandler<'view_repo_group'> = async ({ repogroupid: { id } }, { db }) => {
  const group = id === null ? undefined : await findRepoGroup(db, id);
  if (!group) return null;
  const { name, description, parent, owner } = group;
  return { group_name: name, description, parent_group: parent, owner };
};

const nothing = { repositories: 0, size_bytes: 0, size_unknown: 0 };

export const viewStoredSize: MethodHandler<'view_stored_size'> = async ({ userid, repogroupid }, { db }) => {
  if (userid?.id != null) return sizeOfOwner(db, userid.id);
  const group = repogroupid?.id == null ? undefined : await findRepoGroup(db, repogroupid.id);
  return group ? sizeOfGroup(db, group.name) : nothing;
};

export const viewUserGroup: MethodHandler<'view_user_group'> = async ({ usersgroupid }, { db }) =>
  requireListedUserGroup(db, usersgroupid);

export const viewUser: MethodHandler<'view_user'> = async ({ userid }, { db }) =>
  toListedUser(await requireListedUser(db, userid));
