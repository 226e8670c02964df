import { type Db, prepared, preparedSql, repositories, users } from '@trunkline/db';
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import { RepositoryLockedError } from '@trunkline/contracts';
import { alias } from 'drizzle-orm/pg-core';
import { after, candidateQuery, count, heldBy, type IdPage, readPage } from './readable-page-store.ts';
import { forkSource, owners, repositoryListColumns, sourceAccess } from './repository-store.ts';

export interface Lock {
  readonly username: string;
  readonly since: Date;
}

const holderOf = prepared((db) =>
  db
    .select({ username: users.username, since: repositories.lockedAt })
    .from(repositories)
    .innerJoin(users, eq(users.id, repositories.lockedById))
    .where(eq(repositories.id, sql.placeholder('id')))
    .prepare('lock_holder'),
);

/** Returns the holder of the repository lock; null when the lock is free. */
export async function findLock(db: Db, repositoryId: number): Promise<Lock | null> {
  const [row] = await holderOf(db).execute({ id: repositoryId });
  return row?.since ? { username: row.username, since: row.since } : null;
}

const lockStatement = prepared((db) =>
  db
    .update(repositories)
    .set({ lockedById: sql`${sql.placeholder('userId')}::int`, lockedAt: sql`date_trunc('milliseconds', now())` })
    .where(eq(repositories.id, sql.placeholder('id')))
    .returning({ since: repositories.lockedAt })
    .prepare('lock_for'),
);

/** Gives a user the repository lock; returns the moment. */
export async function lockFor(db: Db, repositoryId: number, userId: number): Promise<Date | null> {
  const [row] = await lockStatement(db).execute({ id: repositoryId, userId });
  return row?.since ?? null;
}

const unlockStatement = preparedSql(
  sql`update ${repositories} set locked_by_id = null, locked_at = null where id = ${sql.placeholder('id')}::int`,
);

export async function unlock(db: Db, repositoryId: number): Promise<void> {
  await unlockStatement(db).execute({ id: repositoryId });
}

/** Throws the client's error when another user holds the lock of a repository. */
export async function requireUnlocked(
  db: Db,
  { id, name }: { readonly id: number; readonly name: string },
  user: { readonly username: string },
): Promise<void> {
  const held = await findLock(db, id);
  if (held && held.username !== user.username) {
    throw new RepositoryLockedError(`Repository \`${name}\` locked by user \`${held.username}\``);
  }
}

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
