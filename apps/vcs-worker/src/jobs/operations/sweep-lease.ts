import { storages, type Database } from '@trunkline/db';
import type { StorageHealth } from '@trunkline/runtime';
import { and, eq, lt, or, sql } from 'drizzle-orm';

/** What a probe of a storage that is there has found. */
type SeenStorage = Pick<StorageHealth, 'freeBytes' | 'totalBytes'>;

/**
 * Takes or extends the lease under which one worker clears a storage's staging and trash. Returns false while another
 * worker holds the lease. The lease saves reads of directories and nothing more: two workers that clear at once do no
 * harm, so a worker that was paused beyond its lease needs no fence. Records what the holder's last probe found.
 */
export async function takeSweepLease(
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
