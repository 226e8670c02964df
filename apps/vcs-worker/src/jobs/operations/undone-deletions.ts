import { operations, repositories, type Db } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';

/** Returns those of the ids whose operation is a deletion that has failed, with the paths of their repositories. */
export async function undoneDeletions(db: Db, ids: readonly string[]) {
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
