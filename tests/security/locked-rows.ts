import type { Database, Transaction } from '@trunkline/db';
import { eventually } from '../harness/eventually.ts';

interface Locked {
  /** Table and condition of the row. */
  readonly row: string;
  readonly call: () => Promise<unknown>;
  /** Changes other rows while the call waits. */
  readonly change: (tx: Transaction) => Promise<unknown>;
}

interface Tools {
  /** Returns the database of the owner, which has one connection. */
  readonly open: () => Database;
  /** Counts the statements of the worker that tries again. */
  readonly statements: () => number;
}

/** Finds the connections that wait for a lock. */
async function findWaiting(tx: Transaction) {
  await tx.execute('select pg_stat_clear_snapshot()');
  return tx.execute(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
}

/** Returns functions that begin a call while a row is locked, change others meanwhile, and free the row. */
export function lockedRows({ open, statements }: Tools) {
  const callWhileLocked = async (
    { row, call }: Locked,
    meanwhile: (tx: Transaction, statementsBefore: number) => Promise<unknown>,
  ): Promise<unknown> => {
    const pending = await open().transaction(async (tx) => {
      await tx.execute(`select from ${row} for update`);
      const before = statements();
      const made = call();
      made.catch(() => {});
      await meanwhile(tx, before);
      return { made };
    });
    return pending.made;
  };
  return {
    /** For a call that is tried again and again. */
    retryWhileLocked: (locked: Locked): Promise<unknown> =>
      callWhileLocked(locked, async (tx, before) => {
        // More than one attempt sends.
        await eventually(
          async () => statements() - before,
          (count) => count > 12,
        );
        await locked.change(tx);
        // No attempt is to be under way: one that waits when the row is free finds that by the lock alone.
        await eventually(
          () => findWaiting(tx),
          (rows) => rows.length === 0,
        );
      }),
    /** For a call that waits until the row is free. */
    waitWhileLocked: (locked: Locked): Promise<unknown> =>
      callWhileLocked(locked, async (tx) => {
        await eventually(
          () => findWaiting(tx),
          (rows) => rows.length > 0,
        );
        await locked.change(tx);
      }),
  };
}
