import { deletedRepositories, operations, repositories, type Db } from '@trunkline/db';
import { and, eq, gt, isNull, notInArray, or, sql } from 'drizzle-orm';

/** Where the bytes of a repository are, and the state of which they are. */
export interface SnapshotSource {
  readonly storageId: string;
  readonly type: 'hg' | 'git';
  readonly epoch: number;
  readonly generation: number;
  /** Whether an interrupted write has left something that is to be rolled back. */
  readonly needsRecovery: boolean;
  /** Path below the storage's root; null for a deleted repository. */
  readonly storagePath: string | null;
  /** The operation that has moved the repository to the trash. */
  readonly deletion: string | null;
}

async function findReady(db: Db, repositoryId: number): Promise<SnapshotSource | undefined> {
  const { storageId, type, epoch, generation, needsRecovery, storagePath, id, state } = repositories;
  const [row] = await db
    .select({ storageId, type, epoch, generation, needsRecovery, storagePath })
    .from(repositories)
    .where(and(eq(id, repositoryId), eq(state, 'ready')));
  return row && { ...row, deletion: null };
}

async function findDeleted(db: Db, ofRepository: number): Promise<SnapshotSource | undefined> {
  const { storageId, operationId, document, repositoryId, restoredBy } = deletedRepositories;
  const former = sql`${document}->'repository'`;
  const [row] = await db
    .select({
      storageId,
      deletion: operationId,
      type: sql<'hg' | 'git'>`${former}->>'type'`,
      epoch: sql`(${former}->>'epoch')::float8`.mapWith(Number),
      generation: sql`(${former}->>'generation')::float8`.mapWith(Number),
      needsRecovery: sql<boolean>`(${former}->>'needs_recovery')::boolean`,
    })
    .from(deletedRepositories)
    .where(and(eq(repositoryId, ofRepository), isNull(restoredBy)));
  return row && { ...row, storagePath: null };
}

/** Finds a repository, or a deleted one whose bytes are in the trash. */
export async function findSource(db: Db, repositoryId: number): Promise<SnapshotSource | undefined> {
  return (await findReady(db, repositoryId)) ?? (await findDeleted(db, repositoryId));
}

/** Returns whether a repository has a row, in whatever state. */
export async function hasRow(db: Db, repositoryId: number): Promise<boolean> {
  const rows = await db.select({ id: repositories.id }).from(repositories).where(eq(repositories.id, repositoryId));
  return rows.length > 0;
}

/** Kinds of operations that leave the bytes at the source as they are; a repair before one of them changes the generation. */
const readingKinds = ['verify', 'move'] as const;

/**
 * Returns whether an operation may have changed the bytes of a repository since a time, by the database's clock. Forks, and
 * operations that only read else, may repair what an interrupted write has left.
 */
export async function mayHaveChanged(
  db: Db,
  repositoryId: number,
  { since, needsRecovery }: { readonly since: Date; readonly needsRecovery: boolean },
): Promise<boolean> {
  const onRepository = eq(operations.repositoryId, repositoryId);
  const rows = await db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        needsRecovery
          ? or(onRepository, eq(operations.sourceRepositoryId, repositoryId))
          : and(onRepository, notInArray(operations.kind, [...readingKinds])),
        or(eq(operations.state, 'running'), gt(operations.finishedAt, since)),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
