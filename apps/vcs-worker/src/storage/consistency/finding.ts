import type { ConsistencyRecord } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Storage } from '../storage.ts';
import type { Tools } from '../../worker-tools.ts';

/** Limit of the findings that a report shows. */
export const findingsMax = 1_000;

/** An inconsistency and its repair. */
export interface Finding {
  readonly kind: ConsistencyRecord['findings'][number]['kind'];
  readonly repositoryId?: number;
  readonly name?: string;
  readonly path?: string;
  /** Name of the storage that has the path. */
  readonly storage?: string;
  readonly operationId?: string;
  /** Time since which the inconsistency may exist; null or absent when unknown. */
  readonly since?: Date | null;
  readonly msg: string;
  /** Absent when the report cannot make a repair. */
  readonly repair?: Repair | undefined;
}

export interface Repair {
  readonly text: string;
  /** Makes the repair; returns false when the state has changed since the finding, and nothing was done. */
  readonly act: () => Promise<boolean>;
}

export interface Finder extends Pick<Tools, 'wakeSweepers' | 'trashDays'> {
  readonly db: Db;
  readonly now: Date;
  /** Aborts when the report is no longer waited for: reading ends then. */
  readonly signal: AbortSignal;
}

export interface DiskFinder extends Finder {
  readonly storage: Storage;
}

/** Returns a repair that wakes the workers' sweepers, which would do the same at their next turn anyway. */
export function waking(wakeSweepers: Finder['wakeSweepers'], text: string): Repair {
  const act = async () => {
    wakeSweepers();
    return true;
  };
  return { text, act };
}

/**
 * Returns the findings that a report shows: all, or a fair share of each kind, so that many of one kind do not hide the
 * others. The order stays.
 */
export function shownFindings(findings: readonly Finding[], max = findingsMax): readonly Finding[] {
  if (findings.length <= max) return findings;
  const ranks = new Map<Finding['kind'], number>();
  const ranked = findings.map((finding, at) => {
    const rank = ranks.get(finding.kind) ?? 0;
    ranks.set(finding.kind, rank + 1);
    return { finding, at, rank };
  });
  const shown = ranked.toSorted((one, other) => one.rank - other.rank || one.at - other.at).slice(0, max);
  return shown.toSorted((one, other) => one.at - other.at).map(({ finding }) => finding);
}
