import { toTimestamp, type StorageRecord } from '@trunkline/contracts';
import { repositories, storages, type Db } from '@trunkline/db';
import { count, eq, sql } from 'drizzle-orm';

/** Reads the storages by name, or the one with this name, with number and size of their repositories. */
export async function listStorages(db: Db, name?: string): Promise<StorageRecord[]> {
  const held = db
    .select({
      storageId: repositories.storageId,
      repositories: count().as('repositories'),
      bytes: sql<string>`coalesce(sum(${repositories.sizeBytes}), 0)`.as('bytes'),
    })
    .from(repositories)
    .groupBy(repositories.storageId)
    .as('held');
  const rows = await db
    .select({ storage: storages, repositories: held.repositories, bytes: held.bytes })
    .from(storages)
    .leftJoin(held, eq(held.storageId, storages.id))
    .where(name === undefined ? undefined : eq(storages.name, name))
    .orderBy(storages.name);
  return rows.map(({ storage, ...rest }) => ({
    name: storage.name,
    state: storage.state,
    weight: storage.weight,
    capacity_bytes: storage.capacityBytes,
    free_bytes: storage.freeBytes,
    seen_at: storage.seenAt && toTimestamp(storage.seenAt),
    repositories: rest.repositories ?? 0,
    repository_bytes: Number(rest.bytes ?? 0),
  }));
}
