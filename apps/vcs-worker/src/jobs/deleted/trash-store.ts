import {
  type Db,
  deletedRepositories,
  followers,
  operations,
  repositories,
  storages,
  type Transaction,
  userGroupRepositoryPermissions,
  userRepositoryPermissions,
} from '@trunkline/db';
import { and, asc, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { type Batch, type Removed, removedWithTimes } from '../sweeps/remove-in-batches.ts';
import { isKept } from './deleted-list-store.ts';

// The repository's row is recorded whole, so that what later releases add to it is kept as well.
const document = sql`jsonb_build_object(
  'repository', to_jsonb(r) - '{clone_uri_sealed,clone_uri_secret_id}'::text[],
  'users', (select coalesce(jsonb_agg(jsonb_build_object('id', p.user_id, 'level', p.level, 'at', p.granted_at)), '[]')
    from ${userRepositoryPermissions} p where p.repository_id = r.id),
  'user_groups', (select coalesce(jsonb_agg(
      jsonb_build_object('id', p.user_group_id, 'level', p.level, 'at', p.granted_at)), '[]')
    from ${userGroupRepositoryPermissions} p where p.repository_id = r.id),
  'followers', (select coalesce(jsonb_agg(jsonb_build_object('id', f.user_id, 'at', f.followed_at)), '[]')
    from ${followers} f where f.repository_id = r.id))`;

/**
 * Keeps what restore_repo needs of a repository whose rows this transaction removes, and whose bytes have been in the
 * trash since `trashedAt`.
 */
export async function keepDeleted(
  tx: Transaction,
  { id, repositoryId }: Pick<ClaimedOperation, 'id' | 'repositoryId'>,
  trashedAt: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into ${deletedRepositories} (repository_id, operation_id, storage_id, name, owner_id, deleted_by_id,
      deleted_at, size_bytes, fork_of_id, fork_ids, clone_uri_sealed, clone_uri_secret_id, document)
    select r.id, o.id, r.storage_id, r.name, r.owner_id, o.actor_id, ${trashedAt.toISOString()}::timestamptz,
      r.size_bytes, r.fork_of_id, array(select f.id from ${repositories} f where f.fork_of_id = r.id order by f.id),
      r.clone_uri_sealed, r.clone_uri_secret_id, ${document}
    from ${repositories} r join ${operations} o on o.id = ${id} where r.id = ${repositoryId}`);
}

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
    // Listed after the rows were read: by then, the bytes of each row are in the trash.
    trashed ??= new Set(await storage.trashedOperations());
    const missing = rows.flatMap(({ id }) => (trashed?.has(id) ? [] : [id]));
    if (missing.length > 0) {
      await db.delete(deletedRepositories).where(and(inArray(operationId, missing), isSettled));
    }
    after = last.id;
  }
}

/**
 * Removes a batch of what is kept of repositories on lost storages, whose trash no worker empties, once the trash would
 * have been emptied. Until then the storage may be found again.
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
