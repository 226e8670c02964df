import { groupNames, reaches, toTimestamp } from '@trunkline/contracts';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { toListedRecord } from '../../domain/repo/repository-list-record.ts';
import { countForks } from '../../domain/repo/repository-list-store.ts';
import { findHead } from '../../domain/repo/repository-head-store.ts';
import type { MethodHandler } from '../context.ts';

export const viewRepository: MethodHandler<'view_repository'> = async ({ repoid }, { db, access }) => {
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
    }),
    followers: row.followers,
    forks,
    is_following: row.isFollowing,
    parents: groupNames(row.name),
  };
};
