import { storages } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { Semaphore, SingleFlight } from '@trunkline/runtime/concurrency';
import { and, eq, sql } from 'drizzle-orm';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';

export interface PollerTools {
  readonly transactions: Pick<WriteTransactions, 'runWithoutCall'>;
  readonly worker: string;
  readonly engine: Pick<OperationEngine, 'begin' | 'runOperations'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Work on the repositories of a storage that goes on until no repository is due. */
export interface StorageJob {
  /** Begins the operation on the next repository of a storage; returns null when none is due. */
  readonly begin: (storageId: string) => Promise<ClaimedOperation | null>;
  /** What the log says of an operation that has failed. */
  readonly failureText: string;
  /** Operations of one storage that run at once. */
  readonly atOnce: number;
  /** Time after which another storage of the worker has its turn. */
  readonly msMax?: number;
  /** Whether the job runs for one storage of the worker at a time, or for each of its storages. */
  readonly oneAtATimeIn: 'worker' | 'storage';
}

/** Returns the condition that a worker holds the lease under which the jobs of a storage are begun. */
export function isSweptBy(storageId: string, worker: string) {
  return and(eq(storages.id, storageId), eq(storages.sweptBy, worker), sql`${storages.sweepLeaseUntil} > now()`);
}

/** Does the job for one storage; ends early when the signal fires. */
export type PollStorage = (storageId: string, signal: AbortSignal) => Promise<void>;

/**
 * Returns a function that begins and runs operations of a storage until none is due. Before each, the job reads from the
 * database what is due, so that any worker goes on where another one has stopped.
 */
export function createStoragePoller({ engine, logger }: Pick<PollerTools, 'engine' | 'logger'>, job: StorageJob) {
  const { atOnce, msMax = Infinity, failureText } = job;
  const polls = new SingleFlight<void>();

  const poll: PollStorage = async (storageId, signal) => {
    const until = performance.now() + msMax;
    const begins = new Semaphore({ limit: 1, queueMax: atOnce, refuse: (reason) => new Error(reason) });
    const runDue = async () => {
      while (!signal.aborted && performance.now() < until) {
        const operation = await begins.run(() => job.begin(storageId));
        if (!operation) return;
        await engine.runOperations([operation]).catch((error: unknown) => {
          logger.warn({ err: error, operationId: operation.id }, failureText);
        });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runDue));
  };

  // A storage whose sweep meets the poll of another storage waits for its next sweep.
  const pollOnce: PollStorage = (storageId, signal) =>
    polls.run(job.oneAtATimeIn === 'worker' ? 'worker' : storageId, () => poll(storageId, signal));
  return pollOnce;
}
