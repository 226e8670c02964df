import { databaseTime, operations, repositoryCopies, type Database, type Db } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { and, asc, eq, or, sql, type SQL } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { Storage } from '../../storage/storage.ts';

export interface CopySweep {
  readonly db: Database;
  /** Seconds for which the tree that a move has left stays, for reads that have begun. */
  readonly movedCopySeconds: number;
  readonly logger: Pick<Logger, 'warn'>;
}

type Copy = Pick<typeof repositoryCopies.$inferSelect, 'storagePath' | 'operationId'>;

/** Copies that one sweep removes; further ones wait for the next sweep. */
const copiesMax = 100;

const { storageId, storagePath, operationId, role, createdAt } = repositoryCopies;

/** Matches trees that no read uses any more, and trees that no operation will make a repository. */
function isDue(movedCopySeconds: number): SQL | undefined {
  const isOver = sql`${createdAt} < now() - make_interval(secs => ${movedCopySeconds})`;
  const isMoving = sql`exists (select 1 from ${operations} o where o.id = ${operationId} and o.state = 'running')`;
  return or(and(eq(role, 'leaving'), isOver), and(eq(role, 'arriving'), sql`not ${isMoving}`));
}

async function listDue(db: Db, ofStorage: SQL | undefined, seconds: number): Promise<Copy[]> {
  return db
    .select({ storagePath, operationId })
    .from(repositoryCopies)
    .where(and(ofStorage, isDue(seconds)))
    .orderBy(asc(createdAt))
    .limit(copiesMax);
}

/** Moves a copy to the trash, under the lock under which its operation publishes, and forgets it. */
async function removeCopy({ db, movedCopySeconds }: CopySweep, storage: Storage, copy: Copy): Promise<void> {
  const ofCopy = and(eq(storageId, storage.id), eq(storagePath, copy.storagePath));
  const release = await storage.moveLocks.acquire(copy.operationId);
  try {
    // A move that has ended since the listing has made its copy the repository.
    if ((await listDue(db, ofCopy, movedCopySeconds)).length === 0) return;
    if (await storage.exists(copy.storagePath)) {
      await storage.trash(copy.storagePath, copy.operationId, await databaseTime(db));
    }
    crashPoint('copy.trashed');
    await db.delete(repositoryCopies).where(and(ofCopy, eq(operationId, copy.operationId)));
  } finally {
    await release();
  }
}

/** Moves the trees to the trash that moves have left on a storage, and those that were to arrive and never will. */
export async function sweepCopies(sweep: CopySweep, storage: Storage): Promise<void> {
  for (const copy of await listDue(sweep.db, eq(storageId, storage.id), sweep.movedCopySeconds)) {
    try {
      await removeCopy(sweep, storage, copy);
    } catch (error) {
      // A suspended process may hold the lock of one copy: the others need not wait for it.
      sweep.logger.warn({ err: error, operationId: copy.operationId }, 'copy of a repository could not be removed');
    }
  }
}
