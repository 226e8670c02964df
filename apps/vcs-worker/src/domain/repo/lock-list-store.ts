import { prepared, repositories, users, type Db } from '@trunkline/db';
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { after, candidateQuery, count, heldBy, readPage, type IdPage } from './readable-page-store.ts';
import { forkSource, owners, repositoryListColumns, sourceAccess } from './repository-store.ts';

const holders = alias(users, 'holders');
const holderId = sql`${sql.placeholder('holderId')}::int`;

const locked = candidateQuery(
  'locked_candidates',
  sql`select id from repositories where locked_at is not null and id > ${after} order by id limit ${count}`,
);

const lockedByHolder = candidateQuery(
  'locked_by_holder_candidates',
  sql`select id from repositories where locked_at is not null and ${heldBy(sql`locked_by_id`, sql`id`, holderId)}`,
);

const lockedRepositories = prepared((db) => {
  const source = sourceAccess(db);
  // `users` is joined since `sourceAccess` reads the user's row.
  return db
    .select({
      repository: { ...repositoryListColumns, forkOf: source.name },
      lockedBy: holders.username,
      lockedAt: sql<Date>`${repositories.lockedAt}`.mapWith(repositories.lockedAt),
    })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(holders, eq(holders.id, repositories.lockedById))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(
      and(
        eq(repositories.state, 'ready'),
        isNotNull(repositories.lockedAt),
        sql`(${holderId} is null or ${holders.id} = ${holderId})`,
        sql`${repositories.id} = any(${sql.placeholder('ids')}::int[])`,
      ),
    )
    .orderBy(asc(repositories.id))
    .prepare('locked_repositories');
});

/**
 * Lists the locked repositories that a user may read in order of id, `limit` of them after `cursor`: those locked by
 * `holderId`, or all when it is null. The transaction has to see one snapshot.
 */
export async function listLocked(tx: Db, userId: number, holder: number | null, page: IdPage) {
  const rowsOf = (ids: readonly number[]) => lockedRepositories(tx).execute({ userId, holderId: holder, ids });
  if (holder === null) return readPage(tx, locked, { userId }, page, rowsOf);
  return readPage(tx, lockedByHolder, { userId, holderId: holder }, page, rowsOf);
}
