import { type Db, repositories, storages as table, type Transaction } from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { ConflictError } from '@trunkline/contracts';
import { freeName } from './name-store.ts';
import type { Storages } from '../../storage/storages.ts';

export interface FamilyMember {
  readonly id: number;
  readonly name: string;
  readonly forkOfId: number | null;
  readonly storageId: string;
}

/** Returns a repository and all its forks, row-locked in the order of ids, in which a fork comes after its source. */
export async function withForks(tx: Transaction, repositoryId: number): Promise<FamilyMember[]> {
  const ids = sql`(with recursive family as (
    select id from repositories where id = ${repositoryId}
    union all select r.id from repositories r join family f on r.fork_of_id = f.id)
    select id from family)`;
  for (let held = 0; ;) {
    const family = await tx
      .select({
        id: repositories.id,
        name: repositories.name,
        forkOfId: repositories.forkOfId,
        storageId: repositories.storageId,
      })
      .from(repositories)
      .where(sql`${repositories.id} in ${ids}`)
      .orderBy(repositories.id)
      .for('update');
    if (family.length === held) return family;
    // While the statement waited for a row, another fork may have been inserted.
    held = family.length;
  }
}

/** Hides these repositories from every read; their names stay reserved until their bytes are removed. */
export async function markDeleting(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .update(repositories)
    .set({ state: 'deleting' })
    .where(inArray(repositories.id, [...ids]));
}

/** Makes a repository whose deletion failed visible again. */
export async function unmarkDeleting(tx: Transaction, repositoryId: number): Promise<void> {
  await tx
    .update(repositories)
    .set({ state: 'ready' })
    .where(and(eq(repositories.id, repositoryId), eq(repositories.state, 'deleting')));
}

/** Removes a repository's rows and frees its name; its remaining forks are detached. */
export async function removeRepository(tx: Transaction, repositoryId: number): Promise<void> {
  const removed = await tx
    .delete(repositories)
    .where(eq(repositories.id, repositoryId))
    .returning({ name: repositories.name });
  for (const { name } of removed) await freeName(tx, name);
}

/** Returns whether a repository still has forks. */
export async function hasForks(db: Db, repositoryId: number): Promise<boolean> {
  const [fork] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(eq(repositories.forkOfId, repositoryId))
    .limit(1);
  return fork !== undefined;
}

/** Returns the members that have to wait for workers of other storages: they lie there, or one of their forks does. */
export function waitingForOthers(family: readonly FamilyMember[], isElsewhere: (storageId: string) => boolean) {
  const waiting = new Set<number>();
  for (const { id, forkOfId, storageId } of family.toReversed()) {
    if (isElsewhere(storageId)) waiting.add(id);
    if (waiting.has(id) && forkOfId !== null) waiting.add(forkOfId);
  }
  return waiting;
}

/**
 * Returns the ids of those repositories, listed with each fork after its source, whose deletion this worker has to leave
 * to others. Throws ConflictError when the storage of one is away.
 */
export async function unclaimedDeletions(
  db: Db,
  storages: Pick<Storages, 'ids'>,
  family: readonly FamilyMember[],
): Promise<ReadonlySet<number>> {
  const others = [...new Set(family.map(({ storageId }) => storageId))].filter((id) => !storages.ids.includes(id));
  if (others.length === 0) return new Set();
  const rows = await db
    .select({ id: table.id, name: table.name, state: table.state })
    .from(table)
    .where(inArray(table.id, others));
  const offline = rows.find(({ state }) => state === 'offline');
  if (offline) throw new ConflictError(`Storage \`${offline.name}\` is offline`);
  // Rows whose bytes are lost can be removed by any worker.
  const elsewhere = new Set(rows.flatMap(({ id, state }) => (state === 'lost' ? [] : [id])));
  return waitingForOthers(family, (storageId) => elsewhere.has(storageId));
}
