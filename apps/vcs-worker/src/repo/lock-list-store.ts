import { levels } from '@trunkline/contracts';
import { prepared, repositories, users, type Db } from '@trunkline/db';
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveLevel } from '../authz/repository/effective-level.ts';
import { forkSource, owners, repositoryListColumns, sourceRule } from './repository-store.ts';

const holders = alias(users, 'holders');

const lockedRepositories = prepared((db) => {
  const userId = sql.placeholder('userId');
  const holderId = sql.placeholder('holderId');
  const rule = effectiveLevel(db, userId);
  const source = sourceRule(db);
  return db
    .select({
      repository: { ...repositoryListColumns, forkOf: source.name },
      lockedBy: holders.username,
      lockedAt: sql<Date>`${repositories.lockedAt}`.mapWith(repositories.lockedAt),
    })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(holders, eq(holders.id, repositories.lockedById))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.everybody.table, source.everybody.on)
    .leftJoin(source.byGroup.table, source.byGroup.on)
    .where(
      and(
        eq(repositories.state, 'ready'),
        isNotNull(repositories.lockedAt),
        sql`(${holderId}::int is null or ${holders.id} = ${holderId}::int)`,
        sql`${rule.level} >= ${levels.read}`,
        sql`${repositories.id} > coalesce(${sql.placeholder('cursor')}::int, 0)`,
      ),
    )
    .orderBy(asc(repositories.id))
    .limit(sql.placeholder('limit'))
    .prepare('locked_repositories');
});

/**
 * The locked repositories that a user may read, by id: those locked by one user, or all; for a page those after the
 * cursor.
 */
export async function listLocked(
  db: Db,
  userId: number,
  holderId: number | null,
  page: { readonly limit: number | null; readonly cursor: number | null },
) {
  return lockedRepositories(db).execute({ userId, holderId, ...page });
}
