import { readList } from '../../lists/read-list.ts';
import { toRepositoryWithChangesetRecord } from '../../repo/repository-record.ts';
import { listReadable } from '../../repo/repository-store.ts';
import type { MethodHandler } from '../context.ts';

export const getRepos: MethodHandler<'get_repos'> = async (page, context) =>
  readList(context, page, {
    read: (tx, { user }, part) => listReadable(tx, user.id, part),
    keyOf: ({ id }) => id,
    toEntry: (row, { user }) => toRepositoryWithChangesetRecord(row, { admin: user.admin, vault: context.vault }),
  });
