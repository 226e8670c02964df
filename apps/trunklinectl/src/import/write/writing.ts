import type { Database, ImportedParts, SecretVault, Transaction } from '@trunkline/db';
import type { Finding } from '../plan/finding.ts';
import type { Here } from '../plan/here.ts';
import type { Digests } from './digests.ts';
import type { RequireLock } from './lock-imports.ts';

/** What each step of an import uses. */
export interface Writing {
  readonly db: Database;
  /** Each transaction calls it first. */
  readonly requireLock: RequireLock;
  readonly vault: SecretVault;
  readonly digests: Digests;
  readonly here: Here;
  readonly source: string;
  /** The administrator who owns what has no other owner. */
  readonly firstAdminId: number;
  /** The user whose rows apply to everybody. */
  readonly defaultUserId: number;
  readonly sums: Sums;
  readonly findings: Finding[];
  /** Ids here by those of the source. */
  readonly ids: Readonly<Record<'users' | 'userGroups' | 'repoGroups' | 'repositories', Map<number, number>>>;
}

export interface Sums {
  created: number;
  changed: number;
  unchanged: number;
}

const batchSize = 50;

/** Runs `write` for all of a list, some of them in each transaction. */
export async function inBatches<T>(
  { db, requireLock }: Pick<Writing, 'db' | 'requireLock'>,
  all: readonly T[],
  write: (tx: Transaction, one: T) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += batchSize) {
    await db.transaction(async (tx) => {
      await requireLock(tx);
      for (const one of all.slice(from, from + batchSize)) await write(tx, one);
    });
  }
}

/** Counts what was written of one object. */
export function count(sums: Sums, isNew: boolean, changed: ReadonlySet<string>): void {
  if (isNew) sums.created += 1;
  else if (changed.size > 0) sums.changed += 1;
  else sums.unchanged += 1;
}

/** Reports what has changed here and in the source, so that an administrator can compare them. */
export function tellKept(findings: Finding[], about: string, kept: readonly string[]): void {
  if (kept.length === 0) return;
  findings.push({ kind: 'kept', about, what: kept.join(', ') });
}

/** What is known of an object that no import has brought yet. */
export const nothingBrought: ImportedParts = { digests: {}, lists: {} };
