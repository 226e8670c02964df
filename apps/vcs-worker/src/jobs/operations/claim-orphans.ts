import { operations, repositories, storages, type Db } from '@trunkline/db';
import { and, eq, inArray, isNull, lt, not, or, sql } from 'drizzle-orm';
import type { ClaimedOperation, OperationKind } from './claimed-operation.ts';
import { claimedColumns as columns, leaseEnd } from './operation-store.ts';

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
