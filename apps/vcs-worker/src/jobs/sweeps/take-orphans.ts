import { type Database, type Db, operationKinds, operations, repositories, storages } from '@trunkline/db';
import { and, eq, inArray, isNull, lt, not, or, sql } from 'drizzle-orm';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { ClaimedOperation, OperationKind } from '../operations/claimed-operation.ts';
import { leaseEnd } from '../operations/lease-store.ts';
import { claimedColumns as columns } from '../operations/operation-store.ts';

/**
 * Matches operations of a storage; those that a worker of an earlier release began name none. Any worker can delete a
 * repository whose bytes are lost.
 */
function ofStorage(storageId: string) {
  const { repositoryId } = operations;
  const lost = sql`${operations.storageId} in (select s.id from ${storages} s where s.state = 'lost')`;
  const stored = sql`(select r.storage_id from ${repositories} r where r.id = ${repositoryId}) = ${storageId}`;
  return or(
    eq(operations.storageId, storageId),
    and(isNull(operations.storageId), stored),
    and(eq(operations.kind, 'delete'), lost),
  );
}

/** Matches deletions that have to wait until the repository's forks are deleted, on whichever storage. */
const waitsForForks = sql`(${operations.request} ? 'afterForks' and exists (select 1 from ${repositories} f
  join ${operations} o on o.repository_id = f.id and o.state = 'running' and o.kind = 'delete'
  where f.fork_of_id = ${operations.repositoryId}))`;

/** Which operations are claimed. */
export interface OrphanClaim {
  readonly storageId: string;
  readonly kinds: readonly OperationKind[];
  readonly limit: number;
  /** Number of operations of one user that this worker may have taken over and not ended. */
  readonly userMax: number;
}

/** Matches operations of users of whose operations of these kinds the worker has taken over fewer than `userMax`. */
const userHasFewer = (worker: string, { kinds, userMax }: OrphanClaim) =>
  sql`(select count(*) from ${operations} taken where taken.state = 'running' and taken.worker = ${worker}
    and taken.attempt > 1 and taken.kind in ${kinds} and taken.actor_id = ${operations.actorId}) < ${userMax}`;

/** Claims operations whose lease has run out, the oldest first. */
export async function claimOrphans(
  db: Db,
  { id: worker, leaseSeconds }: { readonly id: string; readonly leaseSeconds: number },
  claim: OrphanClaim,
): Promise<ClaimedOperation[]> {
  const { storageId, kinds, limit } = claim;
  // A plan may run a sub-select again for each row; with a row lock, Postgres runs this once, before the update.
  const free = db.$with('free').as(
    db
      .select({ id: operations.id })
      .from(operations)
      .where(
        and(
          eq(operations.state, 'running'),
          inArray(operations.kind, kinds),
          lt(operations.leaseUntil, sql`now()`),
          ofStorage(storageId),
          not(waitsForForks),
          userHasFewer(worker, claim),
        ),
      )
      .orderBy(operations.createdAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  );
  const claimedAt = performance.now();
  const claimed = await db
    .with(free)
    .update(operations)
    .set({
      worker,
      storageId: sql`coalesce(${operations.storageId}, ${storageId}::uuid)`,
      attempt: sql`${operations.attempt} + 1`,
      progress: null,
      leaseUntil: leaseEnd(leaseSeconds),
    })
    .where(inArray(operations.id, db.select({ id: free.id }).from(free)))
    .returning(columns);
  return claimed.map((operation) => ({ ...operation, claimedAt }));
}

/** Kinds that may run for hours, since they read from remotes or copy and rewrite whole repositories. */
const longKinds: readonly OperationKind[] = [
  'adopt',
  'import',
  'fork',
  'pull',
  'move',
  'maintain',
  'replace',
  'verify',
];
const shortKinds = operationKinds.filter((kind) => !longKinds.includes(kind));

export interface OrphanTaker {
  /** Claims operations of a storage whose worker is gone, and begins to end them. */
  take(storageId: string): Promise<void>;
  /** Resolves when all that were taken have ended. */
  settled(): Promise<unknown>;
}

interface OrphanTakerOptions {
  readonly db: Database;
  readonly self: { readonly id: string; readonly leaseSeconds: number };
  /** Number of long operations, and number of short ones, that run at the same time. */
  readonly slots: number;
  readonly storageCount: number;
  /** Called when a slot is free again and a storage had more operations than slots: an import leaves a thousand at once. */
  readonly takeMore: (storageId: string) => void;
  /** Ends an operation; does not reject. */
  readonly takeOver: (operation: ClaimedOperation) => Promise<void>;
}

/**
 * Takes over operations whose worker is gone. Short ones, for whose repositories others wait, have slots of their own. Of the
 * slots for long ones, half at most go to the operations of one user.
 */
export function createOrphanTaker(options: OrphanTakerOptions): OrphanTaker {
  const { db, self, slots, storageCount, takeMore, takeOver } = options;
  const running = { long: new Set<Promise<void>>(), short: new Set<Promise<void>>() };
  /** The storages of which all free slots were taken: they may have more. */
  const cutOff = new Set<string>();
  const claim = async (size: keyof typeof running, storageId: string, limit: number): Promise<number> => {
    const kinds = size === 'long' ? longKinds : shortKinds;
    const userMax = size === 'long' ? Math.max(1, Math.floor(slots / 2)) : slots;
    const claimed = await claimOrphans(db, self, { storageId, kinds, limit, userMax });
    for (const operation of claimed) {
      const work = takeOver(operation).finally(() => {
        running[size].delete(work);
        const waiting = [...cutOff];
        cutOff.clear();
        waiting.forEach(takeMore);
      });
      running[size].add(work);
    }
    return claimed.length;
  };
  const takeFree = async (storageId: string) => {
    cutOff.delete(storageId);
    const free = slots - running.short.size;
    if (free === 0 || (await claim('short', storageId, free)) === free) cutOff.add(storageId);
    // One at a time, because a claim does not count the operations that it claims itself.
    while (running.long.size < slots) {
      if ((await claim('long', storageId, 1)) > 0) continue;
      // Operations of a user who has a full share may be left.
      if (running.long.size > 0) cutOff.add(storageId);
      return;
    }
    cutOff.add(storageId);
  };
  // One claim at a time, which sees how many slots the one before has left.
  const claims = new Semaphore({ limit: 1, queueMax: 2 * storageCount, refuse: (reason) => new Error(reason) });
  return {
    take: (storageId) => claims.run(() => takeFree(storageId)),
    settled: () => Promise.all([...running.long, ...running.short]),
  };
}
