import { repositories, type Db } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';

/** Finds the names of the repositories with these ids; those that are being created or deleted are left out. */
export function findRepositoryNames(db: Db, ids: readonly number[]) {
  return db
    .select({ id: repositories.id, name: repositories.name })
    .from(repositories)
    .where(and(inArray(repositories.id, [...ids]), eq(repositories.state, 'ready')));
}
