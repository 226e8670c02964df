import { type Database, openPools, preparedSql, type SecretVault, type Transaction } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type {
  Bus,
  CallMetrics,
  DataClient,
  Logger,
  RunningCalls,
  RunningOperations,
  Tracing,
} from '@trunkline/runtime';
import type { WriteTransactions } from './serve/admission/write-transactions.ts';
import type { WaitForOperationEnd } from './jobs/operations/operation-end.ts';
import type { FailureMetrics } from './serve/health/failure-metrics.ts';

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

/** The connections of a worker, and what all of its parts share. */
export interface Connections {
  readonly pools: WorkerPools;
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly worker: string;
  readonly transactions: WriteTransactions;
  readonly stopping: AbortController;
  readonly bus: Bus;
  /** Opens transfers to other workers. */
  readonly dataClient: DataClient;
  readonly metrics: CallMetrics;
  readonly failures: FailureMetrics;
  readonly waitForOperationEnd: WaitForOperationEnd;
  /** What this worker runs at the moment. */
  readonly running: { readonly calls: RunningCalls; readonly operations: RunningOperations };
  /** Null without a collector of traces. */
  readonly tracing: Tracing | null;
}
