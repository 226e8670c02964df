import { callerParameters } from '../../authz/authorize.ts';
import { linkTo, repositoryPath } from '../../domain/feed/feed-links.ts';
import { toMemberRecords, toRelated } from '../../domain/repo/member-store.ts';
import { detailsWithAccess, type RepositoryDetails } from '../../domain/repo/repository-details.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';
import { listReadable } from '../../domain/repo/readable-repositories-store.ts';
import { toEmbeddedUserRecord } from '../../domain/user/user-record.ts';
import { handlerWithRights, type MethodHandler } from '../context.ts';
import { pageBytes, readEncodedList } from '../read-list.ts';

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
  readEncodedList(context, page, {
    readsRights: true,
    async readPage(db, { user }, part) {
      const { rows, isEnd } = await listReadable(db, user.id, part, pageBytes / 2);
      // The statement that has read the rows decides who is given sealed URLs.
      const shown = { admin: true, vault: context.vault };
      const records = rows.map((row) => toRepositoryWithChangesetRecord(row, shown));
      const last = isEnd ? null : (rows.at(-1)?.id ?? null);
      return { json: JSON.stringify(records), count: rows.length, last };
    },
  });
