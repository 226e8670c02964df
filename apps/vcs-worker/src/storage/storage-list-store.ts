import { toTimestamp, type StorageRecord } from '@trunkline/contracts';
import { operations, repositories, storages, type Db } from '@trunkline/db';
import { and, count, eq, sql } from 'drizzle-orm';

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
  const moving = db.$count(
    operations,
    and(eq(operations.storageId, storages.id), eq(operations.state, 'running'), eq(operations.kind, 'move')),
  );
  const rows = await db
    .select({ moving, storage: storages, repositories: held.repositories, bytes: held.bytes })
    .from(storages)
    .leftJoin(held, eq(held.storageId, storages.id))
    .where(name === undefined ? undefined : eq(storages.name, name))
    .orderBy(storages.name);
  return rows.map(({ storage, ...rest }) => ({
    name: storage.name,
    state: storage.state,
    weight: storage.weight,
    maintenance: storage.maintenance,
    capacity_bytes: storage.capacityBytes,
    free_bytes: storage.freeBytes,
    seen_at: storage.seenAt && toTimestamp(storage.seenAt),
    repositories: rest.repositories ?? 0,
    repository_bytes: Number(rest.bytes ?? 0),
    moving: rest.moving,
  }));
}
