import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** The kinds of inconsistency that a report can find. */
export const findingKinds = [
  'storage_marker',
  'repository_without_bytes',
  'repository_of_lost_storage',
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
  /** Names of storages that did not answer and were not checked; absent when all did. */
  away: v.optional(v.array(v.string())),
  findings: v.array(FindingRecord),
  /** Whether the report was cut at its limit. */
  truncated: v.boolean(),
});
export type ConsistencyRecord = v.InferOutput<typeof ConsistencyRecord>;

type Finding = ConsistencyRecord['findings'][number];

/** Returns a text that is the same for a finding in the database, whichever storage's worker has made it. */
function identityOf({ kind, repo_id, name, path, storage, operation_id }: Finding): string {
  return JSON.stringify([kind, repo_id, name, path, storage, operation_id]);
}

/** Merges the reports of several storages. Each also has the findings of the database, which are shown once. */
export function mergeReports(reports: readonly ConsistencyRecord[], away: readonly string[]): ConsistencyRecord {
  const findings = new Map<string, Finding>();
  for (const finding of reports.flatMap((report) => report.findings)) {
    const identity = identityOf(finding);
    if (finding.repaired || !findings.has(identity)) findings.set(identity, finding);
  }
  return {
    storage: reports.find(({ storage }) => storage !== 'ours')?.storage ?? 'ours',
    storages: reports.flatMap(({ storages }) => storages),
    ...(away.length > 0 && { away: [...away] }),
    findings: [...findings.values()],
    truncated: reports.some(({ truncated }) => truncated),
  };
}
