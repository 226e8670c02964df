import { repositories, repositoryCopies, storages, type Db, type Transaction } from '@trunkline/db';
import { and, desc, eq, sql } from 'drizzle-orm';
import { storagePathOf } from '../../storage/storage.ts';

const copies = repositoryCopies;

interface Arrival {
  readonly operationId: string;
  readonly repositoryId: number;
  readonly uuid: string;
  /** Storage at which the repository arrives. */
  readonly storageId: string;
}

/**
 * Records where a repository is to arrive. The path has the epoch that the repository is to have there, which is higher
 * than that of any copy of it, so that nobody writes at this path but this operation.
 */
export async function insertArriving(tx: Transaction, arrival: Arrival): Promise<void> {
  const { uuid, ...row } = arrival;
  const ofCopies = sql`select coalesce(max(c.epoch), 0) from ${copies} c where c.repository_id = ${row.repositoryId}`;
  const [next] = await tx
    .select({ epoch: sql`greatest(${repositories.epoch}, (${ofCopies})) + 1`.mapWith(Number) })
    .from(repositories)
    .where(eq(repositories.id, row.repositoryId));
  if (!next) throw new Error(`operation ${row.operationId} has no repository`);
  await tx.insert(copies).values({ ...row, ...next, storagePath: storagePathOf(uuid, next.epoch), role: 'arriving' });
}

/** Finds where the repository of an operation is to arrive. */
export async function findArriving(db: Db, operationId: string) {
  const [row] = await db
    .select({
      storageId: copies.storageId,
      storage: storages.name,
      storagePath: copies.storagePath,
      epoch: copies.epoch,
    })
    .from(copies)
    .innerJoin(storages, eq(storages.id, copies.storageId))
    .where(and(eq(copies.operationId, operationId), eq(copies.role, 'arriving')));
  return row;
}

type Arriving = NonNullable<Awaited<ReturnType<typeof findArriving>>>;

/** The repository before the move, and what is known of it after the move. */
interface Moved {
  readonly operationId: string;
  readonly from: Pick<typeof repositories.$inferSelect, 'id' | 'storageId' | 'storagePath' | 'epoch'>;
  readonly to: Arriving;
  readonly sizeBytes: number | null;
}

/** Makes the arrived copy the repository, and its former tree a copy that is to be removed later. */
export async function switchToArrived(tx: Transaction, { operationId, from, to, sizeBytes }: Moved): Promise<void> {
  const { storageId, storagePath, epoch } = to;
  const generation = sql`${repositories.generation} + 1`;
  await tx
    .update(repositories)
    .set({ storageId, storagePath, epoch, generation, sizeBytes })
    .where(eq(repositories.id, from.id));
  await tx.delete(copies).where(and(eq(copies.storageId, storageId), eq(copies.storagePath, storagePath)));
  await tx.insert(copies).values({
    storageId: from.storageId,
    storagePath: from.storagePath,
    repositoryId: from.id,
    role: 'leaving',
    operationId,
    epoch: from.epoch,
  });
}

/** Copies that share files with a repository: more would cost more reading than they save. */
const linkSourcesMax = 8;

/**
 * Lists former trees, on a repository's storage, of its fork source and of its forks and siblings that are on the other
 * storage by now, with their paths there; the source first, then the latest ones.
 */
export async function listLeftRelatives(
  db: Db,
  { id, storageId, forkOfId }: Pick<typeof repositories.$inferSelect, 'id' | 'storageId' | 'forkOfId'>,
  targetId: string,
) {
  const isRelative = sql`${repositories.id} = ${forkOfId}::int or ${repositories.forkOfId} in (${id}, ${forkOfId}::int)`;
  return db
    .select({ leftPath: copies.storagePath, storagePath: repositories.storagePath })
    .from(copies)
    .innerJoin(repositories, eq(repositories.id, copies.repositoryId))
    .where(
      and(
        eq(copies.storageId, storageId),
        eq(copies.role, 'leaving'),
        eq(repositories.storageId, targetId),
        eq(repositories.state, 'ready'),
        sql`(${isRelative})`,
      ),
    )
    .orderBy(desc(sql`${repositories.id} is not distinct from ${forkOfId}::int`), desc(copies.createdAt))
    .limit(linkSourcesMax);
}

/** Returns the paths on a storage that belong to copies. */
export async function readCopyPaths(db: Db, storageId: string): Promise<string[]> {
  const rows = await db.select({ path: copies.storagePath }).from(copies).where(eq(copies.storageId, storageId));
  return rows.map(({ path }) => path);
}
