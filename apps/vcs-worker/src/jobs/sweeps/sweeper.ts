import type { Database } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';
import type { Reseal } from './resealer.ts';
import type { Storages } from '../../storage/storages.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';
import type { PollStorage } from '../storage-jobs/storage-poller.ts';
import type { Retention } from './retention.ts';
import { endSweepLease, sweepStorage } from './sweep-storage.ts';
import { createOrphanTaker, type OrphanTaker } from './take-orphans.ts';

export interface SweeperOptions {
  readonly db: Database;
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly engine: OperationEngine;
  readonly storages: Pick<Storages, 'all'>;
  readonly trashDays: number;
  readonly movedCopySeconds: number;
  readonly git: Pick<VcsBackend, 'defaultBranch' | 'isHeadDangling'>;
  /** Moves the repositories of a storage away if it is draining. */
  readonly drain: PollStorage;
  /** Maintains the repositories of a storage that are due. */
  readonly maintain: PollStorage;
  /** Verifies the repositories of a storage that are due. */
  readonly verify: PollStorage;
  readonly retention: Retention;
  readonly reseal: Reseal;
  /** Number of long operations, and of short ones, that are taken over at the same time. */
  readonly slots: number;
  readonly logger: Logger;
}

export interface Sweeper {
  /** Sweeps now instead of at the next turn. */
  wake(): void;
  stop(): Promise<void>;
}

const endLeaseMsMax = 1_000;
/** Interval at which values are resealed and old rows removed. */
const tidyEveryMs = 600_000;

/**
 * Sweeps the worker's storages, removes old operations, audit entries and sessions, and reseals values under former
 * secrets: at intervals, until it is stopped.
 */
export function startSweeper(options: SweeperOptions): Sweeper {
  const { db, worker, leaseSeconds, engine, storages, logger } = options;
  const self = { id: worker, leaseSeconds };
  const stopping = new AbortController();

  const tasks = new SingleFlight<void>();
  /** Starts a task unless the task is still running. */
  const start = (failure: string, task: () => Promise<void>) => {
    const logged = () => task().catch((error: unknown) => logger.warn({ err: error }, failure));
    void tasks.run(failure, logged);
  };

  const orphans: OrphanTaker = createOrphanTaker({
    db,
    self,
    slots: options.slots,
    storageCount: storages.all.length,
    takeMore: (storageId) => {
      if (stopping.signal.aborted) return;
      start(`operations of the storage ${storageId} could not be taken over`, () => orphans.take(storageId));
    },
    async takeOver(operation) {
      const { id: operationId, kind, attempt } = operation;
      logger.info({ operationId, kind, attempt }, 'operation taken over');
      await engine.takeOver(operation).catch((error: unknown) => {
        logger.warn({ err: error, operationId }, 'taken-over operation did not succeed');
      });
    },
  });

  let nextTidyingAt = 0;
  const tidyRows = () => {
    // These run beside the sweeps, since many keys and many rows take minutes.
    if (performance.now() < nextTidyingAt) return;
    nextTidyingAt = performance.now() + tidyEveryMs;
    start('re-encryption with the current secret failed', () => options.reseal(() => stopping.signal.aborted));
    start('old rows could not be removed', () => options.retention(stopping.signal));
  };

  const { trashDays, movedCopySeconds, git } = options;
  const drain = (storageId: string) => options.drain(storageId, stopping.signal);
  const maintain = (storageId: string) => options.maintain(storageId, stopping.signal);
  const verify = (storageId: string) => options.verify(storageId, stopping.signal);
  const present = new Set<string>();
  const forgetAt = new Map<string, number>();
  const sweep = {
    db,
    worker: self,
    trashDays,
    movedCopySeconds,
    git,
    stopping: stopping.signal,
    takeOrphans: orphans.take,
    drain,
    maintain,
    verify,
    present,
    forgetAt,
    start,
    logger,
  };

  const wake = () => {
    if (stopping.signal.aborted) return;
    tidyRows();
    // Each storage by itself, so that a disk that hangs keeps no other one from its sweeps.
    for (const served of storages.all) {
      start(`sweep of the storage ${served.storage.name} failed`, () => sweepStorage(sweep, served));
    }
  };
  const timer = setInterval(wake, Math.min(5_000, (leaseSeconds * 1000) / 3));
  wake();

  return {
    wake,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await tasks.settled();
      await orphans.settled();
      // Only saves the next worker the rest of the lease: a database that is away must not delay the stop.
      const ends = storages.all.map(({ storage }) => endSweepLease(db, storage.id, worker));
      await withTimeout(Promise.all(ends), endLeaseMsMax, () => []).catch(() => {});
    },
  };
}
