import { readList } from '../../serve/lists/read-list.ts';
import { listReadableRepoGroups, repositoryNamesByGroup } from '../../domain/groups/repo-group-read-store.ts';
import { toRepoGroupRecord } from '../../domain/groups/repo-group-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepoGroups: MethodHandler<'get_repo_groups'> = async (page, context) =>
  readList(context, page, {
    async read(tx, { user }, part) {
      const rows = await listReadableRepoGroups(tx, user.id, part);
      const [first, last] = [rows[0], rows.at(-1)];
      const names = first && last && (await repositoryNamesByGroup(tx, user.id, [first.id, last.id]));
      return rows.map((row) => ({ row, names: names?.get(row.id) }));
    },
    keyOf: ({ row }) => row.id,
    toEntry: ({ row, names }) => toRepoGroupRecord(row, names),
  });
