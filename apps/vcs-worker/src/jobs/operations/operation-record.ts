import { NotFoundError, type OperationRecord, toTimestamp } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { findOperation, type OperationRow } from './operation-list-store.ts';
import type { Access } from '../../authz/authorize.ts';

export function toOperationRecord(row: OperationRow): OperationRecord {
  return {
    operation_id: row.id,
    kind: row.kind,
    repo_id: row.repositoryId,
    repo_name: row.name,
    target_storage: row.targetStorage,
    state: row.state,
    attempt: row.attempt,
    progress: row.progress,
    error: row.error,
    ...(row.pulled && { pulled: row.pulled }),
    user: row.user,
    created_on: toTimestamp(row.createdAt),
    finished_on: row.finishedAt && toTimestamp(row.finishedAt),
  };
}

/** Returns the operation of this id. The error is the same for another user's operation and for a missing one. */
export async function requireOperation(db: Db, { user }: Access, id: string | null): Promise<OperationRow> {
  const row = await findOperation(db, user, id ?? '');
  if (!row) throw new NotFoundError(`operation \`${id ?? 'None'}\` does not exist`);
  return row;
}
