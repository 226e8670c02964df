import { repositories, type Db, type Transaction } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';

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

/** Lists the paths of all repositories of a storage, in any state, by id. */
export async function listStored(db: Db, storageId: string): Promise<StoredAt[]> {
  return db.select(columns).from(repositories).where(eq(repositories.storageId, storageId)).orderBy(repositories.id);
}

export async function isStored(db: Db, storagePath: string): Promise<boolean> {
  const rows = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(eq(repositories.storagePath, storagePath));
  return rows.length > 0;
}

/** Locks a repository in state `ready`; returns undefined when it was deleted. */
export async function lockReady(tx: Transaction, id: number): Promise<StoredAt | undefined> {
  const [row] = await tx
    .select(columns)
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready')))
    .for('update');
  return row;
}
