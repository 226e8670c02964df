import { deletedRepositories, operations, repositories, type Database } from '@trunkline/db';
import { and, eq, isNotNull, notExists, sql } from 'drizzle-orm';
import { storagePathOf, type Storage } from '../storage/storage.ts';
import { releaseDeleted, trashTimeOf } from './restore-store.ts';

const { operationId, repositoryId, restoredBy, storageId, document } = deletedRepositories;
const ofOneSweepMax = 1_000;

/** Lists what operations restored that were ended while the storage was away, without the bytes. */
async function listAbandoned(db: Database, ofStorage: string) {
  const running = db
    .select({ id: operations.id })
    .from(operations)
    .where(and(eq(operations.id, restoredBy), eq(operations.state, 'running')));
  return db
    .select({
      repositoryId,
      deletion: operationId,
      restore: sql<string>`${restoredBy}`,
      uuid: sql<string>`${document}->'repository'->>'uuid'`,
      epoch: sql<number>`(${document}->'repository'->>'epoch')::int`,
    })
    .from(deletedRepositories)
    .where(and(eq(storageId, ofStorage), isNotNull(restoredBy), notExists(running)))
    .limit(ofOneSweepMax);
}

async function hasRepository(db: Database, ofStorage: string, storagePath: string): Promise<boolean> {
  const rows = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.storageId, ofStorage), eq(repositories.storagePath, storagePath)));
  return rows.length > 0;
}

/** Moves repositories back to the trash whose restoration was ended while the storage was away, and offers them again. */
export async function returnToTrash(db: Database, storage: Storage): Promise<void> {
  for (const { repositoryId: id, deletion, restore, uuid, epoch } of await listAbandoned(db, storage.id)) {
    const release = await storage.moveLocks.acquire(restore);
    const held = { id: restore, repositoryId: id };
    try {
      // Read under the lock: another worker may have done it.
      const trashedAt = await trashTimeOf(db, held);
      const path = storagePathOf(uuid, epoch + 1);
      if (trashedAt && (await storage.exists(path)) && !(await hasRepository(db, storage.id, path))) {
        await storage.trash(path, deletion, trashedAt.getTime());
      }
      await releaseDeleted(db, held);
    } finally {
      await release();
    }
  }
}
