import { readList } from '../../serve/lists/read-list.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';
import { listReadable } from '../../domain/repo/repository-store.ts';
import type { MethodHandler } from '../context.ts';

export const getRepos: MethodHandler<'get_repos'> = async (page, context) =>
  readList(context, page, {
    read: (tx, { user }, part) => listReadable(tx, user.id, part),
    keyOf: ({ id }) => id,
    toEntry: (row, { user }) => toRepositoryWithChangesetRecord(row, { admin: user.admin, vault: context.vault }),
  });
