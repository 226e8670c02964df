import type { Database, SecretVault, Transaction } from '@trunkline/db';
import type { Here } from '../plan/here.ts';

/** What each step of an import uses. */
export interface Writing {
  readonly db: Database;
  readonly vault: SecretVault;
  readonly here: Here;
  readonly source: string;
  /** The administrator who owns what has no other owner. */
  readonly firstAdminId: number;
  readonly sums: Sums;
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
  db: Database,
  all: readonly T[],
  write: (tx: Transaction, one: T) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += batchSize) {
    await db.transaction(async (tx) => {
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
