import { openPools, preparedSql, type Database, type Transaction } from '@trunkline/db';
import { sql } from 'drizzle-orm';

/** Limit of the first wait for a lock; a transaction that waits longer gives its connection back. */
const lockTimeoutMs = 250;

const setBrief = preparedSql(sql`set local lock_timeout = '100ms'`);

/** Opens the pools of a worker: reads never wait for a connection on which a write waits for a row. */
export function openWorkerPools(url: string, process: string, sizes: { reads: number; writes: number }) {
  return openPools(url, process, {
    reads: { connectionsMax: sizes.reads },
    writes: { connectionsMax: sizes.writes, lockTimeoutMs },
    heartbeats: { connectionsMax: 1, statementTimeoutMs: 3_000 },
  });
}

export type WorkerPools = ReturnType<typeof openWorkerPools>;

/** Returns a function that runs transactions of the pool of writes. */
export function transactOn(writes: Database) {
  return <T>(act: (tx: Transaction) => Promise<T>, isBrief: boolean): Promise<T> =>
    writes.transaction(async (tx) => {
      // Sent together with the first statement of the transaction.
      const set = isBrief ? setBrief(tx).execute() : undefined;
      const acted = act(tx);
      await Promise.all([acted, set]);
      return acted;
    });
}
