import { operationKinds, operations, repositories, storages, type Db } from '@trunkline/db';
import { and, eq, inArray, isNull, lt, not, or, sql } from 'drizzle-orm';
import type { ClaimedOperation } from './claimed-operation.ts';
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

/** Claims operations of a storage whose lease has run out and whose kind this release knows, at most `limit` of them. */
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
      .where(
        and(
          eq(operations.state, 'running'),
          inArray(operations.kind, operationKinds),
          lt(operations.leaseUntil, sql`now()`),
          ofStorage(storageId),
          not(waitsForForks),
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
