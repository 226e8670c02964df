import { repositories, repositoryCopies, type Db, type Transaction } from '@trunkline/db';
import { and, eq, gt } from 'drizzle-orm';

export interface StoredAt {
  readonly id: number;
  readonly name: string;
  readonly state: 'creating' | 'ready' | 'deleting';
  readonly storagePath: string;
}

const columns = {
  id: repositories.id,
  name: repositories.name,
  state: repositories.state,
  storagePath: repositories.storagePath,
};

const pageRows = 1_000;

/**
 * Reads the paths of all repositories of a storage, in any state, by id, in pages. Each page is a statement of its own, so
 * that a repository which changes meanwhile is shown as before or after, and one that is added may be missing.
 */
export async function* readStored(db: Db, storageId: string): AsyncGenerator<StoredAt[]> {
  for (let last = 0; ;) {
    const page = await db
      .select(columns)
      .from(repositories)
      .where(and(eq(repositories.storageId, storageId), gt(repositories.id, last)))
      .orderBy(repositories.id)
      .limit(pageRows);
    yield page;
    last = page.at(-1)?.id ?? last;
    if (page.length < pageRows) return;
  }
}

/** Finds a repository, in any state, while it is on this storage. */
export async function findStored(db: Db, storageId: string, id: number): Promise<StoredAt | undefined> {
  const [row] = await db
    .select(columns)
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.storageId, storageId)));
  return row;
}

/** Returns whether a repository, or a copy of one, has this path. */
export async function isStored(db: Db, storageId: string, storagePath: string): Promise<boolean> {
  const { storageId: ofStorage, storagePath: path } = repositoryCopies;
  const rows = await db
    .select({ path: repositories.storagePath })
    .from(repositories)
    .where(and(eq(repositories.storageId, storageId), eq(repositories.storagePath, storagePath)))
    .unionAll(
      db
        .select({ path })
        .from(repositoryCopies)
        .where(and(eq(ofStorage, storageId), eq(path, storagePath))),
    );
  return rows.length > 0;
}

/** Locks a repository in state `ready` that is at this path; returns undefined when it was deleted or has moved. */
export async function lockReady(
  tx: Transaction,
  storageId: string,
  { id, storagePath }: Pick<StoredAt, 'id' | 'storagePath'>,
): Promise<StoredAt | undefined> {
  const isThere = and(eq(repositories.storageId, storageId), eq(repositories.storagePath, storagePath));
  const [row] = await tx
    .select(columns)
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready'), isThere))
    .for('update');
  return row;
}
