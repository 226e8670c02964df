import { repositories, type Db } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';

/** Names of the repositories with these ids that pages can show: not of those that are being made or deleted. */
export function findRepositoryNames(db: Db, ids: readonly number[]) {
  return db
    .select({ id: repositories.id, name: repositories.name })
    .from(repositories)
    .where(and(inArray(repositories.id, [...ids]), eq(repositories.state, 'ready')));
}
