import { InvalidArgsError, toTimestamp, type DeletedRepositoryRecord } from '@trunkline/contracts';
import { isDeleted, listDeleted, type DeletedRow } from '../../jobs/deleted/deleted-list-store.ts';
import type { MethodHandler } from '../context.ts';

const dayMs = 86_400_000;

function toRecord(row: DeletedRow, trashDays: number): DeletedRepositoryRecord {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    description: row.description,
    private: row.private,
    owner: row.owner,
    storage: row.storage,
    size_bytes: row.sizeBytes,
    deleted_by: row.deletedBy,
    deleted_on: toTimestamp(row.deletedAt),
    kept_until: toTimestamp(new Date(row.deletedAt.getTime() + trashDays * dayMs)),
    restoring: row.isRestored,
  };
}

export const getDeletedRepos: MethodHandler<'get_deleted_repos'> = async ({ limit, cursor }, { db, trashDays }) => {
  if (cursor !== null && !(await isDeleted(db, cursor))) {
    throw new InvalidArgsError(`Invalid value for \`cursor\`: there is no deleted repository \`${cursor}\``);
  }
  const rows = await listDeleted(db, { trashDays, limit, cursor });
  return rows.map((row) => toRecord(row, trashDays));
};
