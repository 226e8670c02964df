import { databaseTime, type Database } from '@trunkline/db';
import { crashPoint } from '../crash-points.ts';
import type { ServedStorage } from '../storage/storages.ts';
import { notRunning } from './not-running.ts';
import { takeSweepLease } from './sweep-lease.ts';
import { undoneDeletions } from './undone-deletions.ts';

export interface StorageSweep {
  readonly db: Database;
  readonly worker: { readonly id: string; readonly leaseSeconds: number };
  readonly trashDays: number;
  /** Takes over the operations of the storage that have no worker. */
  readonly takeOrphans: (storageId: string) => Promise<void>;
  /** Ids of the storages in which deletions that were ended without them have been undone since they were last away. */
  readonly restored: Set<string>;
  /** Starts a task unless the task is still running; a failure is logged with this text. */
  readonly start: (failure: string, task: () => Promise<void>) => void;
}

const dayMs = 86_400_000;
/** Ids that one statement looks up. */
const idsMax = 1_000;

async function clearStaging({ db }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  for (const id of await notRunning(db, await storage.stagedOperations())) {
    await storage.clearStaging(id);
    crashPoint('staging.swept');
  }
  for (const id of await notRunning(db, await storage.moveLocks.operations())) await storage.moveLocks.remove(id);
}

/**
 * Moves repositories back from the trash whose deletion was ended while the storage was away, and which therefore exist
 * again.
 */
async function restoreTrashed({ db, restored }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  if (restored.has(storage.id)) return;
  const trashed = await storage.trashedOperations();
  for (let from = 0; from < trashed.length; from += idsMax) {
    for (const { id, storagePath } of await undoneDeletions(db, trashed.slice(from, from + idsMax))) {
      const release = await storage.moveLocks.acquire(id);
      try {
        if (!(await storage.exists(storagePath))) await storage.restore(storagePath, id);
      } finally {
        await release();
      }
    }
  }
  restored.add(storage.id);
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
  if (!(await storage.isOurs())) {
    sweep.restored.delete(storage.id);
    return;
  }
  await sweep.takeOrphans(storage.id);
  if (!(await takeSweepLease(sweep.db, storage.id, sweep.worker, found))) return;
  await restoreTrashed(sweep, served);
  await clearStaging(sweep, served);
  // Runs beside the sweeps, since large trees take minutes.
  sweep.start(`trash of the storage ${storage.name} could not be emptied`, () => emptyTrash(sweep, served));
}
