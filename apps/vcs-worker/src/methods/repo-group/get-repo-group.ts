import { findRepoGroupWithLevel } from '../../authz/repo-group/require-repo-group-level.ts';
import { toMemberRecords } from '../../domain/repo/member-record.ts';
import { sizeOfGroup } from '../../domain/repo/stored-size-store.ts';
import { repoGroupNotFound } from '../../domain/groups/repo-group-store.ts';
import { listUserGroupMembers, listUserMembers } from '../../domain/groups/repo-group-member-store.ts';
import { findRepoGroup, repositoryNamesByGroup } from '../../domain/groups/repo-group-read-store.ts';
import { toRepoGroupRecord } from '../../domain/groups/repo-group-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepoGroup: MethodHandler<'get_repo_group'> = async ({ repogroupid }, { db, access, vault }) => {
  const reachable = await findRepoGroupWithLevel(db, access, repogroupid, 'read');
  const group = reachable && (await findRepoGroup(db, reachable.id));
  if (!group && !access.user.admin) throw repoGroupNotFound(repogroupid);
  if (!group) return null;
  const { id } = group;
  const [names, users, groups, size] = await Promise.all([
    repositoryNamesByGroup(db, access.user.id, [id, id]),
    listUserMembers(db, id),
    listUserGroupMembers(db, id),
    access.user.admin ? sizeOfGroup(db, group.name) : null,
  ]);
  return {
    ...toRepoGroupRecord(group, names.get(id)),
    ...(size && { size_bytes: size.size_bytes, size_unknown: size.size_unknown }),
    members: toMemberRecords('group', { users, groups }, { vault, toAdmin: access.user.admin }),
  };
};
