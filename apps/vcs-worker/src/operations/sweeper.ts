import { databaseTime, type Database } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { StorageWatch } from '../health/storage-health.ts';
import type { Reseal } from '../instance/resealer.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationEngine } from './operation-engine.ts';
import { crashPoint } from '../crash-points.ts';
import { notRunning } from './not-running.ts';
import { claimOrphans } from './operation-store.ts';
import type { Retention } from './retention.ts';
import { endSweepLease, takeSweepLease } from './sweep-lease.ts';
import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';

export interface SweeperOptions {
  readonly db: Database;
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly engine: OperationEngine;
  readonly storage: Storage;
  readonly storageWatch: Pick<StorageWatch, 'probe'>;
  readonly trashDays: number;
  readonly retention: Retention;
  readonly reseal: Reseal;
  readonly slots: number;
  readonly logger: Logger;
}

export interface Sweeper {
  /** Sweeps now instead of at the next turn. */
  wake(): void;
  stop(): Promise<void>;
}

const dayMs = 86_400_000;
const endLeaseMsMax = 1_000;
/** Interval at which values are resealed and old rows removed. */
const maintainEveryMs = 600_000;

/**
 * Takes over operations of dead workers; clears staging and trash, as one worker of each storage does; removes old operations, audit entries and sessions;
 * reseals values under former secrets. Does so at intervals until it is stopped.
 */
export function startSweeper(options: SweeperOptions): Sweeper {
  const { db, worker, leaseSeconds, engine, storage, logger } = options;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  const tasks = new SingleFlight<void>();
  /** Starts a task unless the task is still running. */
  const start = (failure: string, task: () => Promise<void>) => {
    const logged = () => task().catch((error: unknown) => logger.warn({ err: error }, failure));
    void tasks.run(failure, logged);
  };

  const track = (id: string, work: Promise<void>) => {
    const tracked = work
      .catch((error: unknown) => logger.warn({ err: error, operationId: id }, 'taken-over operation did not succeed'))
      .finally(() => running.delete(tracked));
    running.add(tracked);
  };

  const takeOrphans = async () => {
    const free = options.slots - running.size;
    if (free <= 0) return;
    for (const operation of await claimOrphans(db, worker, leaseSeconds, free)) {
      logger.info(
        { operationId: operation.id, kind: operation.kind, attempt: operation.attempt },
        'operation taken over',
      );
      track(operation.id, engine.takeOver(operation));
    }
  };

  const clearStaging = async () => {
    for (const id of await notRunning(db, await storage.stagedOperations())) {
      await storage.clearStaging(id);
      crashPoint('staging.swept');
    }
    for (const id of await notRunning(db, await storage.moveLocks.operations())) await storage.moveLocks.remove(id);
  };

  const emptyTrash = async () => {
    const now = await databaseTime(db);
    await storage.emptyTrash(now - options.trashDays * dayMs, (ids) => notRunning(db, ids));
  };

  let nextMaintenanceAt = 0;
  const maintain = () => {
    if (performance.now() < nextMaintenanceAt) return;
    nextMaintenanceAt = performance.now() + maintainEveryMs;
    start('re-encryption with the current secret failed', () => options.reseal(() => stopping.signal.aborted));
    start('old rows could not be removed', () => options.retention(stopping.signal));
  };

  const sweep = async () => {
    await options.storageWatch.probe();
    // These run beside the sweeps, since large trees, many keys and many rows take minutes.
    maintain();
    // A worker without its storage must claim nothing.
    if (!(await storage.isOurs())) return;
    await takeOrphans();
    if (!(await takeSweepLease(db, storage.id, worker, leaseSeconds))) return;
    await clearStaging();
    start('trash could not be emptied', emptyTrash);
  };

  const wake = () => {
    if (!stopping.signal.aborted) start('sweep failed', sweep);
  };
  const timer = setInterval(wake, Math.min(5_000, (leaseSeconds * 1000) / 3));
  wake();

  return {
    wake,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await tasks.settled();
      await Promise.all(running);
      // Only saves the next worker the rest of the lease: a database that is away must not delay the stop.
      await withTimeout(endSweepLease(db, storage.id, worker), endLeaseMsMax, () => {}).catch(() => {});
    },
  };
}
