import { repositoryNotFound } from '../../authz/authorize.ts';
import { linkTo, repositoryPath } from '../../feed/feed-links.ts';
import { listRelated } from '../../repo/member-store.ts';
import { toMemberRecords } from '../../repo/member-record.ts';
import { toRepositoryWithChangesetRecord } from '../../repo/repository-record.ts';
import { findRepository, findUnforked } from '../../repo/repository-store.ts';
import { toEmbeddedUserRecord } from '../../user/user-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepo: MethodHandler<'get_repo'> = async ({ repoid }, { db, access, vault, baseUrl }) => {
  if (!access.repository) return null;
  const { id, isFork } = access.repository;
  const toAdmin = access.user.admin;
  const { followers, ...members } = await listRelated(db, id, toAdmin);
  // Read last: a repository that exists now also existed when its members were read.
  const row = await (isFork ? findRepository(db, id, access.user.id) : findUnforked(db, id));
  // The repository was renamed or deleted after the rights were read.
  if (!row || (repoid.name !== null && row.name !== repoid.name)) {
    if (toAdmin) return null;
    throw repositoryNotFound(repoid);
  }
  return {
    ...toRepositoryWithChangesetRecord(row, { admin: toAdmin, vault }),
    members: toMemberRecords('repository', members, { vault, toAdmin }),
    ...(baseUrl !== null && { clone_url: linkTo(baseUrl, repositoryPath(row.name)) }),
    ...(row.type === 'git' && { default_branch: row.defaultBranch }),
    ...(toAdmin ? { size_bytes: row.sizeBytes, storage: row.storage } : {}),
    followers: followers.map((user) => toEmbeddedUserRecord(user, { vault, toAdmin, addresses: true })),
  };
};
