import { deletedRepositories, operations, storages, type Db } from '@trunkline/db';
import { and, asc, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm';
import { removedWithTimes, type Batch, type Removed } from '../operations/remove-in-batches.ts';
import { isKept } from './deleted-list-store.ts';

const { operationId, repositoryId, restoredBy, storageId, keptSince, deletedAt } = deletedRepositories;

/** Ids that one statement looks up. */
const idsMax = 1_000;
/** Before all ids of operations. */
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Removes what is kept of the repositories that these deletions moved to the trash, before their bytes are removed.
 * Returns the ids whose bytes may be removed: those of repositories that are being restored may not.
 */
export async function forgetDeleted(db: Db, ids: readonly string[]): Promise<string[]> {
  const excluded = new Set<string>();
  for (let from = 0; from < ids.length; from += idsMax) {
    const some = inArray(operationId, ids.slice(from, from + idsMax));
    await db.delete(deletedRepositories).where(and(some, isNull(restoredBy)));
    const left = await db.select({ id: operationId }).from(deletedRepositories).where(some);
    for (const { id } of left) excluded.add(id);
  }
  return ids.filter((id) => !excluded.has(id));
}

/**
 * Removes what is kept of repositories whose bytes are no longer in the trash of their storage: releases before this one
 * empty it without the rows, and so may an operator. Other machines may see a move to the trash late.
 */
export async function forgetWithoutBytes(
  db: Db,
  storage: { readonly id: string; readonly trashedOperations: () => Promise<string[]> },
): Promise<void> {
  const isSettled = and(
    eq(storageId, storage.id),
    isNull(restoredBy),
    lt(keptSince, sql`now() - interval '10 minutes'`),
  );
  let trashed: ReadonlySet<string> | undefined;
  for (let after = firstId; ;) {
    // Compared as rows, they are read in the order of the storage's own index, whatever other storages have.
    const rows = await db
      .select({ id: operationId })
      .from(deletedRepositories)
      .where(and(isSettled, sql`(${storageId}, ${operationId}) > (${storage.id}::uuid, ${after}::uuid)`))
      .orderBy(asc(storageId), asc(operationId))
      .limit(idsMax);
    const last = rows.at(-1);
    if (!last) return;
    // Listed after the rows were read: what has a row by then is in the trash.
    trashed ??= new Set(await storage.trashedOperations());
    const missing = rows.flatMap(({ id }) => (trashed?.has(id) ? [] : [id]));
    if (missing.length > 0) {
      await db.delete(deletedRepositories).where(and(inArray(operationId, missing), isSettled));
    }
    after = last.id;
  }
}

/**
 * Removes a batch of what is kept of repositories on lost storages, whose trash nobody empties, once the trash would have
 * been emptied. Until then the storage may be found again.
 */
export async function forgetLost(db: Db, trashDays: number, { from, rowsMax }: Batch<Date>): Promise<Removed<Date>> {
  const isRestored = sql`exists (select 1 from ${operations} o where o.id = ${restoredBy} and o.state = 'running')`;
  const old = db.$with('old').as(
    db
      .select({ id: repositoryId })
      .from(deletedRepositories)
      .innerJoin(storages, eq(storages.id, storageId))
      .where(
        and(
          eq(storages.state, 'lost'),
          sql`not ${isKept(trashDays)}`,
          sql`not ${isRestored}`,
          from ? gte(deletedAt, from) : undefined,
        ),
      )
      .orderBy(asc(deletedAt))
      .limit(rowsMax)
      .for('update', { of: deletedRepositories, skipLocked: true }),
  );
  const removed = await db
    .with(old)
    .delete(deletedRepositories)
    .where(inArray(repositoryId, db.select({ id: old.id }).from(old)))
    .returning({ deletedAt });
  return removedWithTimes(removed.map((row) => row.deletedAt));
}
