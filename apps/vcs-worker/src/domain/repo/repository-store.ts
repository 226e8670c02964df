import { type Db, prepared, repositories, storages, type StoredChangeset, users } from '@trunkline/db';
import { levels } from '@trunkline/contracts';
import { and, eq, gte, type Placeholder, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveLevel } from '../../authz/effective-level.ts';

const authorCharsMax = 1_000;

export const forkSource = alias(repositories, 'fork_source');
export const owners = alias(users, 'owners');

/** Columns for `toRepositoryRecord`, without the fork's source. */
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

/** Returns the newest changeset with its texts cut to what a list shows: they may have many megabytes. */
export function listedChangeset(messageCharsMax: number): SQL<StoredChangeset | null> {
  const changeset = repositories.lastChangeset;
  const isShort = sql`octet_length(${changeset}->>'message') <= ${messageCharsMax}::int
    and octet_length(${changeset}->>'author') <= ${authorCharsMax}::int`;
  return sql`case when ${changeset} is null or ${isShort} then ${changeset} else ${changeset} || jsonb_build_object(
    'message', left(${changeset}->>'message', ${messageCharsMax}::int),
    'author', left(${changeset}->>'author', ${authorCharsMax}::int)) end`;
}

/** Characters of the message of a changeset in a list of the API. */
export const listedMessageCharsMax = 10_000;

/** The same columns as `repositoryColumns`, for lists. */
export const repositoryListColumns = { ...repositoryColumns, lastChangeset: listedChangeset(listedMessageCharsMax) };

/** Returns the user's level on a fork's source, and the source's name if the user may read it. */
export function sourceAccess(db: Db, userId: number | Placeholder = sql.placeholder('userId')) {
  const access = effectiveLevel(db, userId, forkSource, 'source_');
  return {
    ...access,
    name: sql<string | null>`case when ${access.level} >= ${levels.read} then ${forkSource.name} end`,
  };
}

/** Returns the name of a fork's source if the user may read it; nothing is looked up for a repository that is no fork. */
export function sourceName(db: Db): SQL<string | null> {
  const source = sourceAccess(db);
  const named = db
    .select({ name: source.name })
    .from(forkSource)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')));
  return sql`case when ${repositories.forkOfId} is not null then ${named} end`;
}

const detailColumns = {
  ...repositoryColumns,
  sizeBytes: repositories.sizeBytes,
  defaultBranch: repositories.defaultBranch,
  storage: storages.name,
};

const repositoryById = prepared((db) => {
  const source = sourceAccess(db);
  // `users` is joined since `effectiveLevel` reads the user's row.
  return db
    .select({ ...detailColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoin(source.byUserGroup.table, source.byUserGroup.on)
    .where(and(eq(repositories.id, sql.placeholder('id')), eq(repositories.state, 'ready')))
    .prepare('repository_by_id');
});

export type RepositoryRow = Awaited<ReturnType<ReturnType<typeof readableById>['execute']>>[number];

export type RepositoryDetailsRow = RepositoryRow & {
  readonly sizeBytes: number | null;
  readonly defaultBranch: string | null;
  readonly storage: string;
};

/**
 * Finds a repository in state `ready` by id without checking access; a fork's source is named only if the user may read
 * it.
 */
export async function findRepository(db: Db, id: number, userId: number): Promise<RepositoryDetailsRow | undefined> {
  const [row] = await repositoryById(db).execute({ id, userId });
  return row;
}

const readableById = prepared((db) => {
  const access = effectiveLevel(db, sql.placeholder('userId'));
  const source = sourceAccess(db);
  return db
    .select({ ...repositoryColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoin(source.byUserGroup.table, source.byUserGroup.on)
    .where(
      and(
        eq(repositories.id, sql.placeholder('id')),
        eq(repositories.state, 'ready'),
        gte(access.level, sql.raw(String(levels.read))),
      ),
    )
    .prepare('readable_repository_by_id');
});

/** Finds a repository by id if the user may read it, by rights of the same snapshot. */
export async function findReadable(db: Db, id: number, userId: number): Promise<RepositoryRow | undefined> {
  const [row] = await readableById(db).execute({ id, userId });
  return row;
}

/** Returns whether downloads of a repository are enabled. */
export async function downloadsEnabled(db: Db, repositoryId: number): Promise<boolean> {
  const [row] = await db
    .select({ enabled: repositories.enableDownloads })
    .from(repositories)
    .where(eq(repositories.id, repositoryId));
  return row?.enabled ?? false;
}
