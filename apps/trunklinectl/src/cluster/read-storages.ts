import { repositories, storages, type Database } from '@trunkline/db';
import { count, eq } from 'drizzle-orm';

export interface StorageRow {
  readonly name: string;
  readonly state: string;
  readonly repositories: number;
  readonly capacityBytes: number | null;
  readonly freeBytes: number | null;
}

/** Reads the storages with what gateways, too, may read of them. */
export async function readStorageRows(db: Database): Promise<readonly StorageRow[]> {
  const { name, state, capacityBytes, freeBytes } = storages;
  return db
    .select({ name, state, capacityBytes, freeBytes, repositories: count(repositories.id) })
    .from(storages)
    .leftJoin(repositories, eq(repositories.storageId, storages.id))
    .groupBy(storages.id)
    .orderBy(storages.name);
}
