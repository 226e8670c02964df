import { listReadableRepoGroups, repositoryNamesByGroup } from '../../repo-group/repo-group-read-store.ts';
import { toRepoGroupRecord } from '../../repo-group/repo-group-record.ts';
import type { MethodHandler } from '../context.ts';

export const getRepoGroups: MethodHandler<'get_repo_groups'> = async (page, { db, access }) => {
  const rows = await listReadableRepoGroups(db, access.user.id, page);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const names = await repositoryNamesByGroup(db, access.user.id, [first.id, last.id]);
  return rows.map((row) => toRepoGroupRecord(row, names.get(row.id)));
};
