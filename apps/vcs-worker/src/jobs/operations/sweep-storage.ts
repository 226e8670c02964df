import { databaseTime, isTrashHeld, storages, type Database } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import { returnToTrash } from '../deleted/return-to-trash.ts';
import { forgetDeleted, forgetWithoutBytes } from '../deleted/trash-store.ts';
import { fillDefaultBranches } from '../../domain/repo/fill-default-branches.ts';
import type { ServedStorage } from '../../storage/storages.ts';
import { notRunning } from './not-running.ts';
import { sweepCopies, type CopySweep } from './sweep-copies.ts';
import { takeSweepLease } from './sweep-lease.ts';
import { undoneDeletions } from './undone-deletions.ts';

export interface StorageSweep extends CopySweep {
  readonly worker: { readonly id: string; readonly leaseSeconds: number };
  readonly trashDays: number;
  /** Takes over the operations of the storage that have no worker. */
  readonly takeOrphans: (storageId: string) => Promise<void>;
  /** Ids of the storages that have not been away since this worker swept them. */
  readonly present: Set<string>;
  /** By the id of a storage, the time from which on what is kept without bytes is looked for again. */
  readonly forgetAt: Map<string, number>;
  /** Reads the default branch of a git repository. */
  readonly readDefaultBranch: (path: string) => Promise<string | null>;
  /** Aborts when the worker is told to stop. */
  readonly stopping: AbortSignal;
  /** Moves the repositories of a storage away if it is draining. */
  readonly drain: (storageId: string) => Promise<void>;
  /** Maintains repositories of a storage that it is time for. */
  readonly maintain: (storageId: string) => Promise<void>;
  /** Verifies repositories of a storage that it is time for. */
  readonly verify: (storageId: string) => Promise<void>;
  /** Starts a task unless the task is still running; a failure is logged with this text. */
  readonly start: (failure: string, task: () => Promise<void>) => void;
}

const lostText =
  'the storage is recorded as lost, so that its repositories can be deleted without their bytes: ' +
  'if its bytes are back, set its state with update_storage, then read get_consistency_report';
const dayMs = 86_400_000;
/** Time after which all that is kept of deleted repositories is compared with the trash again. */
const forgetEveryMs = 600_000;
/** Ids that one statement looks up. */
const idsMax = 1_000;

async function clearStaging({ db }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  for (const id of await notRunning(db, await storage.stagedOperations())) {
    await storage.clearStaging(id);
    crashPoint('staging.swept');
  }
  for (const id of await notRunning(db, await storage.moveLocks.operations())) await storage.moveLocks.remove(id);
}

/** Moves repositories back from the trash whose deletion was ended while the storage was away, since they exist again. */
async function restoreTrashed({ db }: StorageSweep, { storage }: ServedStorage): Promise<void> {
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
}

async function isLost(db: Database, storageId: string): Promise<boolean> {
  const [row] = await db.select({ state: storages.state }).from(storages).where(eq(storages.id, storageId));
  return row?.state === 'lost';
}

/** Does what a storage needs that was away or is new to this worker, once after each time that it was. */
async function resume(sweep: StorageSweep, served: ServedStorage): Promise<void> {
  const { id, name } = served.storage;
  if (sweep.present.has(id)) return;
  if (await isLost(sweep.db, id)) sweep.logger.warn({ storage: name }, lostText);
  await restoreTrashed(sweep, served);
  await returnToTrash(sweep.db, served.storage);
  sweep.start(`default branches of the storage ${name} could not be read`, () =>
    fillDefaultBranches(sweep, served.storage),
  );
  sweep.present.add(id);
}

async function emptyTrash({ db, trashDays, forgetAt }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  const now = await databaseTime(db);
  await storage.emptyTrash(now - trashDays * dayMs, async (ids) => {
    const ended = await notRunning(db, ids);
    // Asked last: what has come to the trash since a backup began is not among these.
    return (await isTrashHeld(db)) ? [] : forgetDeleted(db, ended);
  });
  if (performance.now() < (forgetAt.get(storage.id) ?? 0)) return;
  await forgetWithoutBytes(db, storage);
  forgetAt.set(storage.id, performance.now() + forgetEveryMs);
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
    sweep.present.delete(storage.id);
    return;
  }
  await sweep.takeOrphans(storage.id);
  if (!(await takeSweepLease(sweep.db, storage.id, sweep.worker, found))) return;
  await resume(sweep, served);
  await clearStaging(sweep, served);
  await sweepCopies(sweep, storage);
  // These run beside the sweeps, since a drain takes hours, and large trees take minutes.
  sweep.start(`directories of pushes of the storage ${storage.name} could not be cleared`, () =>
    storage.pushes.clear((ids) => notRunning(sweep.db, ids)),
  );
  sweep.start(`trash of the storage ${storage.name} could not be emptied`, () => emptyTrash(sweep, served));
  sweep.start(`storage ${storage.name} could not be drained`, () => sweep.drain(storage.id));
  sweep.start(`storage ${storage.name} could not be maintained`, () => sweep.maintain(storage.id));
  sweep.start(`storage ${storage.name} could not be verified`, () => sweep.verify(storage.id));
}
