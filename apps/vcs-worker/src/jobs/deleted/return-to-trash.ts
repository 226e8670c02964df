import { deletedRepositories, operations, repositories, type Database } from '@trunkline/db';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { storagePathOf, type Storage } from '../../storage/storage.ts';
import { nextEpoch, releaseDeleted, trashTimeOf } from './restore-store.ts';

const { operationId, repositoryId, restoredBy, storageId, document } = deletedRepositories;
const ofOneSweepMax = 1_000;

/** Lists what operations restored that were ended while the storage was away, without the bytes. */
async function listAbandoned(db: Database, ofStorage: string) {
  const rows = await db
    .select({
      repositoryId,
      deletion: operationId,
      restore: sql<string>`${restoredBy}`,
      uuid: sql<string>`${document}->'repository'->>'uuid'`,
      storagePath: sql<string | null>`${operations.request}->>'storagePath'`,
      nextEpoch,
    })
    .from(deletedRepositories)
    .leftJoin(operations, eq(operations.id, restoredBy))
    .where(and(eq(storageId, ofStorage), isNotNull(restoredBy), sql`${operations.state} is distinct from 'running'`))
    .limit(ofOneSweepMax);
  return rows.map(({ uuid, nextEpoch: epoch, storagePath, ...row }) => ({
    ...row,
    // Without the row of the operation, which is kept for some weeks: copies have the same epochs as then, or are gone.
    path: storagePath ?? storagePathOf(uuid, epoch),
  }));
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
  for (const { repositoryId: id, deletion, restore, path } of await listAbandoned(db, storage.id)) {
    const release = await storage.moveLocks.acquire(restore);
    const held = { id: restore, repositoryId: id };
    try {
      // Read under the lock: another worker may have done it.
      const trashedAt = await trashTimeOf(db, held);
      if (trashedAt && (await storage.exists(path)) && !(await hasRepository(db, storage.id, path))) {
        await storage.trash(path, deletion, trashedAt.getTime());
      }
      await releaseDeleted(db, held);
    } finally {
      await release();
    }
  }
}
