import { operations, repositories, type Db } from '@trunkline/db';
import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { ClaimedOperation } from './claimed-operation.ts';
import { claimedColumns as columns, leaseEnd } from './operation-store.ts';

/** Matches operations of a storage; those that a worker of an earlier release began name none. */
function ofStorage(storageId: string) {
  const { repositoryId } = operations;
  const stored = sql`(select r.storage_id from ${repositories} r where r.id = ${repositoryId}) = ${storageId}`;
  return or(eq(operations.storageId, storageId), and(isNull(operations.storageId), stored));
}

/** Claims operations of a storage whose lease has run out, at most `limit` of them. */
export async function claimOrphans(
  db: Db,
  { id: worker, leaseSeconds }: { readonly id: string; readonly leaseSeconds: number },
  storageId: string,
  limit: number,
): Promise<ClaimedOperation[]> {
  // A plan may run a sub-select again for each row; with a row lock, Postgres runs this once, before the update.
  const free = db.$with('free').as(
    db
      .select({ id: operations.id })
      .from(operations)
      .where(and(eq(operations.state, 'running'), lt(operations.leaseUntil, sql`now()`), ofStorage(storageId)))
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
      storageId,
      attempt: sql`${operations.attempt} + 1`,
      progress: null,
      leaseUntil: leaseEnd(leaseSeconds),
    })
    .where(inArray(operations.id, db.select({ id: free.id }).from(free)))
    .returning(columns);
  return claimed.map((operation) => ({ ...operation, claimedAt }));
}
