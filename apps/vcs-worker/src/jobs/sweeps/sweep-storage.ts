import { storages, type Database } from '@trunkline/db';
import type { StorageHealth } from '@trunkline/runtime';
import { and, eq, lt, or, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import { fillDefaultBranches } from './fill-default-branches.ts';
import { findDanglingHeads } from './find-dangling-heads.ts';
import type { ServedStorage } from '../../storage/storages.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { notRunning } from '../operations/operation-end.ts';
import { sweepCopies, type CopySweep } from './sweep-copies.ts';
import { emptyTrash, restoreTrashed, returnToTrash, type TrashSweep } from './sweep-trash.ts';

export interface StorageSweep extends CopySweep, TrashSweep {
  readonly worker: { readonly id: string; readonly leaseSeconds: number };
  /** Takes over the operations of the storage that have no worker. */
  readonly takeOrphans: (storageId: string) => Promise<void>;
  /** Ids of the storages that have not been away since this worker swept them. */
  readonly present: Set<string>;
  readonly git: Pick<VcsBackend, 'defaultBranch' | 'isHeadDangling'>;
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

/** What a probe of a storage that is there has found. */
type SeenStorage = Pick<StorageHealth, 'freeBytes' | 'totalBytes'>;

/**
 * Takes or extends the lease under which one worker clears a storage's staging and trash. Returns false while another
 * worker holds the lease. The lease saves reads of directories and nothing more: two workers that clear at once do no
 * harm, so a worker that was paused beyond its lease needs no fence. Records what the holder's last probe found.
 */
async function takeSweepLease(
  db: Database,
  storageId: string,
  { id: worker, leaseSeconds }: { readonly id: string; readonly leaseSeconds: number },
  found: SeenStorage,
): Promise<boolean> {
  const free = or(
    eq(storages.sweptBy, worker),
    sql`${storages.sweepLeaseUntil} is null`,
    lt(storages.sweepLeaseUntil, sql`now()`),
  );
  const taken = await db
    .update(storages)
    .set({
      sweptBy: worker,
      sweepLeaseUntil: sql`now() + make_interval(secs => ${leaseSeconds})`,
      freeBytes: found.freeBytes,
      capacityBytes: found.totalBytes,
      seenAt: sql`now()`,
    })
    .where(and(eq(storages.id, storageId), free))
    .returning({ id: storages.id });
  return taken.length > 0;
}

/** Ends the worker's lease, so that another worker need not wait until the lease runs out. */
export async function endSweepLease(db: Database, storageId: string, worker: string): Promise<void> {
  await db
    .update(storages)
    .set({ sweptBy: null, sweepLeaseUntil: null })
    .where(and(eq(storages.id, storageId), eq(storages.sweptBy, worker)));
}

async function clearStaging({ db }: StorageSweep, { storage }: ServedStorage): Promise<void> {
  for (const id of await notRunning(db, await storage.stagedOperations())) {
    await storage.clearStaging(id);
    crashPoint('staging.swept');
  }
  for (const id of await notRunning(db, await storage.moveLocks.operations())) await storage.moveLocks.remove(id);
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
  await restoreTrashed(sweep.db, served.storage);
  await returnToTrash(sweep.db, served.storage);
  sweep.start(`default branches of the storage ${name} could not be read`, () =>
    fillDefaultBranches(sweep, served.storage),
  );
  sweep.start(`HEADs of the storage ${name} could not be read`, () => findDanglingHeads(sweep, served.storage));
  sweep.present.add(id);
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
  sweep.start(`trash of the storage ${storage.name} could not be emptied`, () => emptyTrash(sweep, storage));
  sweep.start(`storage ${storage.name} could not be drained`, () => sweep.drain(storage.id));
  sweep.start(`storage ${storage.name} could not be maintained`, () => sweep.maintain(storage.id));
  sweep.start(`storage ${storage.name} could not be verified`, () => sweep.verify(storage.id));
}
