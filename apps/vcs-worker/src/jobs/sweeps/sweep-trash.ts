import {
  databaseTime,
  deletedRepositories,
  isTrashHeld,
  operations,
  repositories,
  type Database,
  type Db,
} from '@trunkline/db';
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { type Storage, storagePathOf } from '../../storage/storage.ts';
import { nextEpoch, releaseDeleted, trashTimeOf } from '../deleted/restore-store.ts';
import { forgetDeleted, forgetWithoutBytes } from '../deleted/trash-store.ts';
import { notRunning } from '../operations/operation-end.ts';

/** Ids that one statement looks up. */
const idsMax = 1_000;

/** Returns those of the ids whose operation is a deletion that has failed, with the paths of their repositories. */
async function undoneDeletions(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .select({ id: operations.id, storagePath: repositories.storagePath })
    .from(operations)
    .innerJoin(repositories, eq(repositories.id, operations.repositoryId))
    .where(
      and(
        inArray(operations.id, [...ids]),
        eq(operations.kind, 'delete'),
        eq(operations.state, 'failed'),
        eq(repositories.state, 'ready'),
        eq(repositories.storageId, operations.storageId),
      ),
    );
}

/** Moves repositories back from the trash whose deletion was ended while the storage was away, since they exist again. */
export async function restoreTrashed(db: Database, storage: Storage): Promise<void> {
  const trashed = await storage.trashedOperations();
  for (let from = 0; from < trashed.length; from += idsMax) {
    for (const { id, storagePath } of await undoneDeletions(db, trashed.slice(from, from + idsMax))) {
      const release = await storage.moveLocks.acquire(id);
      try {
        if (!(await storage.exists(storagePath))) await storage.restore(storagePath, id);
      } finally {
        await release();
      }
    }
  }
}

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

const dayMs = 86_400_000;
/** Time after which all that is kept of deleted repositories is compared with the trash again. */
const forgetEveryMs = 600_000;

export interface TrashSweep {
  readonly db: Database;
  readonly trashDays: number;
  /** By the id of a storage, the time from which on what is kept without bytes is looked for again. */
  readonly forgetAt: Map<string, number>;
}

/** Removes from the trash of a storage what is older than it is kept for, and what is kept of repositories without bytes. */
export async function emptyTrash({ db, trashDays, forgetAt }: TrashSweep, storage: Storage): Promise<void> {
  const now = await databaseTime(db);
  await storage.emptyTrash(now - trashDays * dayMs, async (ids) => {
    const ended = await notRunning(db, ids);
    // Asked last: repositories that have come to the trash since a backup began are not among these.
    return (await isTrashHeld(db)) ? [] : forgetDeleted(db, ended);
  });
  if (performance.now() < (forgetAt.get(storage.id) ?? 0)) return;
  await forgetWithoutBytes(db, storage);
  forgetAt.set(storage.id, performance.now() + forgetEveryMs);
}
