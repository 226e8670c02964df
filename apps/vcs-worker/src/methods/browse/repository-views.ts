import { groupNames, reaches, toTimestamp } from '@trunkline/contracts';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { toListedPage, toListedRecord } from '../../domain/repo/repository-list-record.ts';
import { countForks, findHead, listListed } from '../../domain/repo/repository-list-store.ts';
import type { MethodHandler } from '../context.ts';
import { pageOfFollowers, pageOfUserGroups, pageOfUsers, readMemberPage } from '../../domain/repo/member-page.ts';
import { cutPage } from '../read-list.ts';

export const viewRepository: MethodHandler<'view_repository'> = async ({ repoid }, { db, access, trashDays }) => {
  const { id, level } = requireRepository(access, repoid);
  const userId = access.user.id;
  const [row, forks] = await Promise.all([findHead(db, id, userId), countForks(db, userId, id)]);
  // The repository was renamed or deleted after the rights were read.
  if (!row || (repoid.name !== null && row.name !== repoid.name)) throw repositoryNotFound(repoid);
  return {
    ...toListedRecord({ ...row, level }),
    landing_rev: row.landingRev,
    enable_downloads: row.enableDownloads,
    clone_uri: reaches(level, 'admin') ? row.cloneUri : null,
    size_bytes: reaches(level, 'admin') ? row.sizeBytes : null,
    default_branch: row.defaultBranch,
    storage: access.user.admin ? row.storage : null,
    ...(reaches(level, 'admin') && {
      verification: { verified_on: row.verifiedAt && toTimestamp(row.verifiedAt), damaged: row.damaged ?? false },
      trash_days: trashDays,
    }),
    followers: row.followers,
    forks,
    is_following: row.isFollowing,
    parents: groupNames(row.name),
  };
};

export const viewRights: MethodHandler<'view_rights'> = async (_args, { access: { user, globalPermissions } }) => {
  const mayCreate = user.admin || globalPermissions.includes('hg.create.repository');
  return {
    create_repository: mayCreate,
    fork_repository: mayCreate || globalPermissions.includes('hg.fork.repository'),
  };
};

export const listMembers: MethodHandler<'list_members'> = async ({ repoid, ...page }, { db, access }) => {
  const { id } = requireRepository(access, repoid);
  return readMemberPage('repository', page, {
    users: (part) => pageOfUsers(db, id, part),
    groups: (part) => pageOfUserGroups(db, id, part),
  });
};

export const listFollowers: MethodHandler<'list_followers'> = async ({ repoid, limit, cursor }, { db, access }) => {
  const { id } = requireRepository(access, repoid);
  const rows = await pageOfFollowers(db, id, { limit: limit + 1, after: cursor ?? 0 });
  const { shown, next } = cutPage(rows, limit, (row) => String(row.id));
  return { followers: shown.map(({ username, firstname, lastname }) => ({ username, firstname, lastname })), next };
};

export const listForks: MethodHandler<'list_forks'> = async ({ repoid, limit, cursor }, { db, access }) => {
  const { id: forkOfId } = requireRepository(access, repoid);
  const rows = await listListed(db, access.user.id, { forkOfId }, { limit: limit + 1, cursor });
  return toListedPage(rows, limit);
};
