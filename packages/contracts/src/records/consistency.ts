import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** The kinds of inconsistency that a report can find. */
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
  /** The name of the repository or group. */
  name: v.nullable(v.string()),
  /** A path below the storage's root. */
  path: v.nullable(v.string()),
  /** The name of the storage with that path. */
  storage: v.nullable(v.string()),
  operation_id: v.nullable(v.string()),
  since: v.nullable(timestamp),
  msg: v.string(),
  /** Description of the repair; null when an operator has to decide, or when the repair is not due yet. */
  repair: v.nullable(v.string()),
  /** Whether this call has made the repair. */
  repaired: v.boolean(),
});

const marker = v.picklist(['ours', 'missing', 'foreign']);

/** The inconsistencies between database, storages, operations and audit log. */
export const ConsistencyRecord = v.strictObject({
  /** `ours` when all storages have their markers, else what is wrong with the first that has not. */
  storage: marker,
  storages: v.array(v.strictObject({ name: v.string(), marker })),
  findings: v.array(FindingRecord),
  /** Whether the report was cut at its limit. */
  truncated: v.boolean(),
});
export type ConsistencyRecord = v.InferOutput<typeof ConsistencyRecord>;
