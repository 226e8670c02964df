import {
  followers,
  prepared,
  repositories,
  userRepositoryPermissions,
  users,
  type Db,
  type StoredChangeset,
  type Transaction,
} from '@trunkline/db';
import { levels } from '@trunkline/contracts';
import { and, asc, eq, sql, type Placeholder, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { defaultUserId, effectiveLevel } from '../authz/repository/effective-level.ts';
import { defaultLevel } from '../repo-group/repo-group-store.ts';

const authorCharsMax = 1_000;

export const forkSource = alias(repositories, 'fork_source');
export const owners = alias(users, 'owners');

/** The columns of the base record, without the fork's source. */
export const repositoryColumns = {
  id: repositories.id,
  name: repositories.name,
  type: repositories.type,
  cloneUri: repositories.cloneUri,
  cloneUriSealed: repositories.cloneUriSealed,
  private: repositories.private,
  createdAt: repositories.createdAt,
  description: repositories.description,
  landingRev: repositories.landingRev,
  owner: owners.username,
  enableDownloads: repositories.enableDownloads,
  enableLocking: repositories.enableLocking,
  enableStatistics: repositories.enableStatistics,
  lastChangeset: repositories.lastChangeset,
};

/** The newest changeset with no more of its texts than a list shows: they may have many megabytes. */
export function listedChangeset(messageCharsMax: number): SQL<StoredChangeset | null> {
  const changeset = repositories.lastChangeset;
  return sql`${changeset} || jsonb_build_object(
    'message', left(${changeset}->>'message', ${messageCharsMax}::int),
    'author', left(${changeset}->>'author', ${authorCharsMax}::int))`;
}

/** The same columns as `repositoryColumns`, for lists. */
export const repositoryListColumns = { ...repositoryColumns, lastChangeset: listedChangeset(10_000) };

/** The reader's level on a fork's source, and its name if they may read it. */
export function sourceRule(db: Db, userId: number | Placeholder = sql.placeholder('userId')) {
  const rule = effectiveLevel(db, userId, forkSource, 'source_');
  return { ...rule, name: sql<string | null>`case when ${rule.level} >= ${levels.read} then ${forkSource.name} end` };
}

const repositoryById = prepared((db) => {
  const source = sourceRule(db);
  return db
    .select({ ...repositoryColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.everybody.table, source.everybody.on)
    .leftJoin(source.byGroup.table, source.byGroup.on)
    .where(and(eq(repositories.id, sql.placeholder('id')), eq(repositories.state, sql.placeholder('state'))))
    .prepare('repository_by_id');
});

const readableRepositories = prepared((db) => {
  const userId = sql.placeholder('userId');
  const rule = effectiveLevel(db, userId);
  const source = sourceRule(db);
  return db
    .select({ ...repositoryListColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
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
        sql`${rule.level} >= ${levels.read}`,
        sql`${repositories.id} > coalesce(${sql.placeholder('cursor')}::int, 0)`,
      ),
    )
    .orderBy(asc(repositories.id))
    .limit(sql.placeholder('limit'))
    .prepare('readable_repositories');
});

export type RepositoryRow = Awaited<ReturnType<typeof listReadable>>[number];

/** The repositories that a user may read, by id; for a page those after the cursor. */
export async function listReadable(
  db: Db,
  userId: number,
  page: { readonly limit: number | null; readonly cursor: number | null },
) {
  return readableRepositories(db).execute({ userId, ...page });
}

/** A repository as this user sees it; undefined while it is being created or deleted, unless that is asked for. */
export async function findRepository(
  db: Db,
  id: number,
  userId: number,
  state: 'ready' | 'creating' = 'ready',
): Promise<RepositoryRow | undefined> {
  const [row] = await repositoryById(db).execute({ id, userId, state });
  return row;
}

export type NewRepository = Omit<typeof repositories.$inferInsert, 'state' | 'id'>;

/** Inserts a repository in state `creating`, hidden from reads: its name is reserved, and its owner follows it. */
export async function insertCreating(tx: Transaction, repository: NewRepository): Promise<number> {
  const [row] = await tx
    .insert(repositories)
    .values({ ...repository, state: 'creating' })
    .returning({ id: repositories.id });
  if (!row) throw new Error('no repository was inserted');
  const level = repository.private ? levels.none : await defaultLevel(tx, 'repository');
  await tx.insert(userRepositoryPermissions).values({ userId: defaultUserId, repositoryId: row.id, level });
  await tx.insert(followers).values({ userId: repository.ownerId, repositoryId: row.id });
  return row.id;
}
