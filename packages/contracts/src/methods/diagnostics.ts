import * as v from 'valibot';
import { timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { flag } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

/** States of the storage: `ok`, or the reason why repositories cannot be written. */
const storageStates = ['ok', 'no-marker', 'foreign', 'read-only', 'full', 'failing'] as const;
export type StorageState = (typeof storageStates)[number];

/** State of a storage as one worker sees it; sizes in bytes, null where the system does not report them. */
const storageSizes = {
  state: v.picklist(storageStates),
  free_bytes: v.nullable(v.number()),
  total_bytes: v.nullable(v.number()),
};

/** Versions and storages of one worker; the version of a tool that does not report one is null. */
const ServerInfoRecord = v.strictObject({
  trunkline_version: v.string(),
  node_version: v.string(),
  platform: v.string(),
  git_version: v.nullable(v.string()),
  git_path: v.string(),
  hg_version: v.nullable(v.string()),
  hg_path: v.string(),
  storage: v.strictObject(storageSizes),
  /** All storages of the worker; `storage` is the one named `default`, or else the first. */
  storages: v.array(v.strictObject({ name: v.string(), ...storageSizes })),
  /** What was found by reading repositories; absent in answers of earlier releases. */
  verification: v.optional(
    v.strictObject({
      /** Number of repositories in which something is damaged or missing. */
      damaged: v.number(),
      /** Names of these, at most 100. */
      damaged_repositories: v.array(v.string()),
    }),
  ),
  modules: v.array(v.tuple([v.string(), v.string()])),
});

/** The kinds of inconsistency that a report can find. */
const findingKinds = [
  'storage_marker',
  'repository_without_bytes',
  'repository_of_lost_storage',
  'repository_without_operation',
  'repository_needs_recovery',
  'directory_without_access',
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

export const test = defineMethod({
  name: 'test',
  summary: 'Returns its argument, to test the gateway, the bus and a worker.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { args: required(v.unknown(), 'Any JSON value') },
  result: v.unknown(),
});

export const getServerInfo = defineMethod({
  name: 'get_server_info',
  summary: 'Returns the versions of the service, its tools and its libraries, as reported by one worker.',
  permission: { caller: 'admin' },
  // In the lane `storage`, because a worker that serves `metadata` alone may lack git and hg, whose versions are read.
  lane: 'storage',
  access: 'read',
  args: {},
  result: ServerInfoRecord,
});

export const getConsistencyReport = defineMethod({
  name: 'get_consistency_report',
  summary:
    'Lists inconsistencies between the database and the storage, and unfinished work; makes safe repairs when asked to.',
  permission: { caller: 'admin' },
  lane: 'storage',
  access: 'write',
  changesData: ({ repair }) => repair !== undefined && repair !== false,
  args: { repair: optional(flag, false, 'Whether the repairs named in the findings are made') },
  result: ConsistencyRecord,
  merge: mergeReports,
});
