import { toRepositoryWithChangesetRecord } from '../../repo/repository-record.ts';
import { listReadable } from '../../repo/repository-store.ts';
import type { MethodHandler } from '../context.ts';

export const getRepos: MethodHandler<'get_repos'> = async (page, { db, access, vault }) => {
  const rows = await listReadable(db, access.user.id, page);
  return rows.map((row) => toRepositoryWithChangesetRecord(row, { admin: access.user.admin, vault }));
};
