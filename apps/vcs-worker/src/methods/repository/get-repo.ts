import { repositoryNotFound } from '../../authz/authorize.ts';
import { linkTo, repositoryPath } from '../../feed/feed-links.ts';
import { listFollowers, listUserGroupMembers, listUserMembers } from '../../repo/member-store.ts';
import { toMemberRecords } from '../../repo/member-record.ts';
import { toRepositoryWithChangesetRecord } from '../../repo/repository-record.ts';
import { findRepository } from '../../repo/repository-store.ts';
import { toEmbeddedUserRecord } from '../../user/user-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepo: MethodHandler<'get_repo'> = async ({ repoid }, { db, access, vault, baseUrl }) => {
  if (!access.repository) return null;
  const { id } = access.repository;
  const [userMembers, groupMembers, followers] = await Promise.all([
    listUserMembers(db, id),
    listUserGroupMembers(db, id),
    listFollowers(db, id),
  ]);
  // Read last: a repository that exists now also existed when its members were read.
  const row = await findRepository(db, id, access.user.id);
  // The repository was renamed or deleted after the rights were read.
  if (!row || (repoid.name !== null && row.name !== repoid.name)) {
    if (access.user.admin) return null;
    throw repositoryNotFound(repoid);
  }
  const toAdmin = access.user.admin;
  return {
    ...toRepositoryWithChangesetRecord(row, { admin: toAdmin, vault }),
    members: toMemberRecords('repository', { users: userMembers, groups: groupMembers }, { vault, toAdmin }),
    ...(baseUrl !== null && { clone_url: linkTo(baseUrl, repositoryPath(row.name)) }),
    ...(row.type === 'git' && { default_branch: row.defaultBranch }),
    ...(toAdmin ? { size_bytes: row.sizeBytes, storage: row.storage } : {}),
    followers: followers.map((user) => toEmbeddedUserRecord(user, { vault, toAdmin, addresses: true })),
  };
};
