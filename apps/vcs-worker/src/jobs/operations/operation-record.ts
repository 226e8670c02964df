import { toTimestamp, type OperationRecord } from '@trunkline/contracts';
import type { OperationRow } from './operation-list-store.ts';

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
    user: row.user,
    created_on: toTimestamp(row.createdAt),
    finished_on: row.finishedAt && toTimestamp(row.finishedAt),
  };
}
