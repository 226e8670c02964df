import { linkTo, repositoryPath } from '../../domain/feed/feed-links.ts';
import { toMemberRecords } from '../../domain/repo/member-record.ts';
import { toRelated } from '../../domain/repo/member-store.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';
import { toEmbeddedUserRecord } from '../../domain/user/user-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepo: MethodHandler<'get_repo'> = async (_args, { access, vault, baseUrl }) => {
  const { shown: row, user } = access;
  if (!row) return null;
  const toAdmin = user.admin;
  const { followers, ...members } = toRelated(row.related);
  return {
    ...toRepositoryWithChangesetRecord(row, { admin: toAdmin, vault }),
    members: toMemberRecords('repository', members, { vault, toAdmin }),
    ...(baseUrl !== null && { clone_url: linkTo(baseUrl, repositoryPath(row.name)) }),
    ...(row.type === 'git' && { default_branch: row.defaultBranch }),
    ...(toAdmin ? { size_bytes: row.sizeBytes, storage: row.storage } : {}),
    followers: followers.map((one) => toEmbeddedUserRecord(one, { vault, toAdmin, addresses: true })),
  };
};
