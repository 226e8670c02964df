import { databaseTime, type Database } from '@trunkline/db';
import { crashPoint } from '../crash-points.ts';
import type { ServedStorage } from '../storage/storages.ts';
import { notRunning } from './not-running.ts';
import { takeSweepLease } from './sweep-lease.ts';

export interface StorageSweep {
  readonly db: Database;
  readonly worker: { readonly id: string; readonly leaseSeconds: number };
  readonly trashDays: number;
  /** Takes over the operations of the storage that have no worker. */
  readonly takeOrphans: (storageId: string) => Promise<void>;
  /** Starts a task unless the task is still running; a failure is logged with this text. */
  readonly start: (failure: string, task: () => Promise<void>) => void;
}

const dayMs = 86_400_000;

async function clearStaging({ db }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  for (const id of await notRunning(db, await storage.stagedOperations())) {
    await storage.clearStaging(id);
    crashPoint('staging.swept');
  }
  for (const id of await notRunning(db, await storage.moveLocks.operations())) await storage.moveLocks.remove(id);
}

async function emptyTrash({ db, trashDays }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  const now = await databaseTime(db);
  await storage.emptyTrash(now - trashDays * dayMs, (ids) => notRunning(db, ids));
}

/**
 * Probes a storage and takes over its operations without a worker; as the holder of the storage's lease, also records
 * its sizes and clears staging and trash.
 */
export async function sweepStorage(sweep: StorageSweep, served: ServedStorage): Promise<void> {
  const { storage, watch } = served;
  const found = await watch.probe();
  // A worker without its storage must claim nothing.
  if (!(await storage.isOurs())) return;
  await sweep.takeOrphans(storage.id);
  if (!(await takeSweepLease(sweep.db, storage.id, sweep.worker, found))) return;
  await clearStaging(sweep, served);
  // Runs beside the sweeps, since large trees take minutes.
  sweep.start(`trash of the storage ${storage.name} could not be emptied`, () => emptyTrash(sweep, served));
}
