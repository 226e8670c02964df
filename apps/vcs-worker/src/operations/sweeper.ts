import { databaseTime, type Database } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { StorageWatch } from '../health/storage-health.ts';
import type { Reseal } from '../instance/resealer.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationEngine } from './operation-engine.ts';
import { removeOldAudit } from '../audit/audit-store.ts';
import { crashPoint } from '../crash-points.ts';
import { removeEndedSessions } from '../user/session-store.ts';
import { claimOrphans, notRunning, removeEnded } from './operation-store.ts';
import { SingleFlight } from '@trunkline/runtime/concurrency';

export interface SweeperOptions {
  readonly db: Database;
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly engine: OperationEngine;
  readonly storage: Storage;
  readonly storageWatch: Pick<StorageWatch, 'look'>;
  readonly trashDays: number;
  readonly journalDays: number;
  /** 0 keeps all of the audit log. */
  readonly auditDays: number;
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
const forgetEveryMs = 600_000;
/** The most rows removed by one statement, which must end within the statement timeout. */
const forgottenAtOnce = 20_000;

/**
 * Takes over operations of dead workers; clears staging, trash, old operations, audit entries and sessions; reseals.
 */
export function startSweeper(options: SweeperOptions): Sweeper {
  const { db, worker, leaseSeconds, engine, storage, logger } = options;
  const running = new Set<Promise<void>>();
  let stopped = false;

  const tasks = new SingleFlight<void>();
  /** Starts a task unless it runs already. */
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

  // Beside the sweeps: a large tree takes minutes to remove.
  const emptyTrash = async () => {
    const now = await databaseTime(db);
    await storage.emptyTrash(now - options.trashDays * dayMs, (ids) => notRunning(db, ids));
  };
  const reseal = () => options.reseal(() => stopped);

  let nextForgetAt = 0;
  const forget = async () => {
    if (performance.now() < nextForgetAt) return;
    nextForgetAt = performance.now() + forgetEveryMs;
    // Beside the sweeps, too: many keys take a while.
    start('what stands under a former secret is not written anew', reseal);
    await removeEnded(db, options.journalDays, forgottenAtOnce);
    await removeEndedSessions(db, forgottenAtOnce);
    if (options.auditDays > 0) await removeOldAudit(db, options.auditDays, forgottenAtOnce);
  };

  const sweep = async () => {
    await options.storageWatch.look();
    // First, because without its storage this worker must claim nothing.
    const staged = await storage.stagedOperations();
    await takeOrphans();
    for (const id of await notRunning(db, staged)) {
      await storage.clearStaging(id);
      crashPoint('staging.swept');
    }
    start('trash could not be emptied', emptyTrash);
    await forget();
  };

  const wake = () => {
    if (!stopped) start('sweep failed', sweep);
  };
  const timer = setInterval(wake, Math.min(5_000, (leaseSeconds * 1000) / 3));
  wake();

  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await tasks.settled();
      await Promise.all(running);
    },
  };
}
