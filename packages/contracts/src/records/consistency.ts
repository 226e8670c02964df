import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** Everything that can be found to be half done or left over. */
export const findingKinds = [
  'storage_marker',
  'repository_without_bytes',
  'repository_without_operation',
  'repository_needs_recovery',
  'directory_without_repository',
  'staging_without_operation',
  'trash_overdue',
  'unknown_entry',
  'name_without_owner',
  'name_of_wrong_kind',
  'name_misplaced',
  'operation_without_worker',
  'audit_mismatch',
] as const;

const FindingRecord = v.strictObject({
  kind: v.picklist(findingKinds),
  repo_id: v.nullable(v.number()),
  /** Of the repository or group. */
  name: v.nullable(v.string()),
  /** Below the storage's root. */
  path: v.nullable(v.string()),
  operation_id: v.nullable(v.string()),
  since: v.nullable(timestamp),
  msg: v.string(),
  /** What a repair does; null where an operator has to decide, or where it is not due yet. */
  repair: v.nullable(v.string()),
  /** Whether this call has done that. */
  repaired: v.boolean(),
});

/** What database, storage, journal and audit log disagree about. */
export const ConsistencyRecord = v.strictObject({
  storage: v.picklist(['ours', 'missing', 'foreign']),
  findings: v.array(FindingRecord),
  /** Whether there is more than the report has room for. */
  truncated: v.boolean(),
});
export type ConsistencyRecord = v.InferOutput<typeof ConsistencyRecord>;
