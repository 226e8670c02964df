import { callerParameters } from '../../authz/authorize.ts';
import { linkTo, repositoryPath } from '../../domain/feed/feed-links.ts';
import { toMemberRecords, toRelated } from '../../domain/repo/member-store.ts';
import { detailsWithAccess, type RepositoryDetails } from '../../domain/repo/repository-details.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';
import { listReadable } from '../../domain/repo/repository-store.ts';
import { toEmbeddedUserRecord } from '../../domain/user/user-record.ts';
import { handlerWithRights, type MethodHandler } from '../context.ts';
import { readList } from '../read-list.ts';

export const getRepo = handlerWithRights<'get_repo', RepositoryDetails | null>(
  async (db, caller, { repoid: { id, name } }) => {
    const named = { repositoryId: id, repositoryName: name };
    const [row] = await detailsWithAccess(db).execute({ ...callerParameters(caller), ...named });
    return row && { ...row, shown: row.details };
  },
  (row, { access: { user }, vault, baseUrl }) => {
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
  },
);

export const getRepos: MethodHandler<'get_repos'> = async (page, context) =>
  readList(context, page, {
    read: (tx, { user }, part) => listReadable(tx, user.id, part),
    keyOf: ({ id }) => id,
    toEntry: (row, { user }) => toRepositoryWithChangesetRecord(row, { admin: user.admin, vault: context.vault }),
  });
