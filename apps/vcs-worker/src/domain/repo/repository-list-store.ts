import { levels } from '@trunkline/contracts';
import { type Db, followers, prepared, repositories, repositoryVerifications, storages, users } from '@trunkline/db';
import { and, asc, count, eq, gt, inArray, isNull, lt, type Placeholder, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveLevel } from '../../authz/effective-level.ts';
import { count as countMax, heldParts } from './readable-page-store.ts';
import { forkSource, listedChangeset, owners, sourceAccess } from './repository-store.ts';

/** The user who holds the repository lock. */
export const holders = alias(users, 'holders');

/** The columns that lists show, with only the beginning of the tip's message. */
export const listedColumns = {
  id: repositories.id,
  name: repositories.name,
  type: repositories.type,
  private: repositories.private,
  description: repositories.description,
  owner: owners.username,
  lockedBy: holders.username,
  createdAt: repositories.createdAt,
  lastChangeset: listedChangeset(1_000),
};

/** Filter of a list; absent members match every repository. */
export interface ListedFilter {
  /** Id of the group that directly holds the repository; null for the top level. */
  readonly groupId?: number | null;
  /** Name of a group above the repository, at any depth. */
  readonly below?: string;
  /** Regular expression for the name. */
  readonly pattern?: string;
  readonly owned?: boolean;
  readonly watched?: boolean;
  readonly forkOfId?: number;
}

interface ListedPage {
  readonly limit: number;
  /** Name of a repository: only repositories with later names are listed. Null for the first page. */
  readonly cursor: string | null;
}

/** Returns the condition that a user follows the repository of a row. */
export const followedBy = (userId: number | Placeholder) =>
  sql`exists (select 1 from ${followers} f where f.user_id = ${userId} and f.repository_id = ${repositories.id})`;

function* conditions(userId: number, filter: ListedFilter): Iterable<SQL | undefined> {
  const { groupId, below, pattern, owned, watched, forkOfId } = filter;
  if (groupId === null) yield isNull(repositories.groupId);
  else if (groupId !== undefined) yield eq(repositories.groupId, groupId);
  // Range of the names that begin with `below/`: `0` is the character after `/`.
  if (below !== undefined) yield and(gt(repositories.name, `${below}/`), lt(repositories.name, `${below}0`));
  if (pattern !== undefined) yield sql`${repositories.name} ~ ${pattern}`;
  if (owned) yield eq(repositories.ownerId, userId);
  if (watched) yield followedBy(userId);
  if (forkOfId !== undefined) yield eq(repositories.forkOfId, forkOfId);
}

/** Up to so many repositories that may be readable, reading their rights costs less than those of a list until a page is full. */
const fewMax = 500;

/** Query for repositories that a user may be able to read, some of them twice; without a row for an administrator. */
const candidates = prepared((db) =>
  db
    .select({ ids: sql<number[]>`array(${sql.join([...heldParts], sql` union all `)} limit ${countMax})` })
    .from(users)
    .where(and(eq(users.id, sql.placeholder('userId')), eq(users.admin, false)))
    .prepare('listed_candidates'),
);

/** Returns all repositories that a user may be able to read, if they are few; null for many. */
async function findFew(db: Db, userId: number): Promise<readonly number[] | null> {
  const [row] = await candidates(db).execute({ userId, after: 0, count: fewMax + 1 });
  return row && row.ids.length <= fewMax ? [...new Set(row.ids)] : null;
}

/** Query for the ids on a page and the user's level on each; the other columns are read for these ids alone. */
function pageOfIds(db: Db, userId: number, filter: ListedFilter, page: ListedPage, few: readonly number[] | null) {
  const access = effectiveLevel(db, userId);
  // The order of the index: of the top level, whose group is null, Postgres does not know that it is that of the names.
  const groupFirst = filter.groupId === undefined ? [] : [asc(repositories.groupId)];
  return db
    .select({ id: repositories.id, level: access.level })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(
      and(
        eq(repositories.state, 'ready'),
        page.cursor === null ? undefined : gt(repositories.name, page.cursor),
        few === null ? undefined : inArray(repositories.id, [...few]),
        ...conditions(userId, filter),
        sql`${access.level} >= ${levels.read}`,
      ),
    )
    .orderBy(...groupFirst, asc(repositories.name))
    .limit(page.limit);
}

const repositoriesByIds = prepared((db) => {
  const source = sourceAccess(db);
  return db
    .select({ ...listedColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(holders, eq(holders.id, repositories.lockedById))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(sql`${repositories.id} = any(${sql.placeholder('ids')}::int[])`)
    .orderBy(asc(repositories.name))
    .prepare('repositories_by_ids');
});

/** Lists a page of the repositories that a user may read, by name. */
export async function listListed(db: Db, userId: number, filter: ListedFilter, page: ListedPage) {
  const few = await findFew(db, userId);
  const found = new Map((await pageOfIds(db, userId, filter, page, few)).map(({ id, level }) => [id, level]));
  if (found.size === 0) return [];
  const rows = await repositoriesByIds(db).execute({ userId, ids: [...found.keys()] });
  return rows.map((row) => ({ ...row, level: found.get(row.id) ?? levels.none }));
}

export type ListedRow = Awaited<ReturnType<typeof listListed>>[number];

/** Number of a repository's forks whose rights are read to count those that a user may read. */
const countedForksMax = 100;
const anyForks = alias(repositories, 'any_forks');

/** Counts the forks of a repository that a user may read, among its first hundred by name. */
export async function countForks(db: Db, userId: number, id: number): Promise<number> {
  const access = effectiveLevel(db, userId);
  const first = db
    .select({ id: anyForks.id })
    .from(anyForks)
    .where(and(eq(anyForks.forkOfId, id), eq(anyForks.state, 'ready')))
    .orderBy(asc(anyForks.name))
    .limit(countedForksMax);
  const [row] = await db
    .select({ count: count() })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(and(inArray(repositories.id, first), sql`${access.level} >= ${levels.read}`));
  return row?.count ?? 0;
}

const headById = prepared((db) => {
  const userId = sql.placeholder('userId');
  const source = sourceAccess(db);
  return db
    .select({
      ...listedColumns,
      forkOf: source.name,
      landingRev: repositories.landingRev,
      enableDownloads: repositories.enableDownloads,
      cloneUri: repositories.cloneUri,
      sizeBytes: repositories.sizeBytes,
      defaultBranch: repositories.defaultBranch,
      storage: storages.name,
      verifiedAt: repositoryVerifications.verifiedAt,
      damaged: repositoryVerifications.damaged,
      followers: sql<number>`(select count(*)::int from ${followers} f where f.repository_id = ${repositories.id})`,
      isFollowing: sql<boolean>`${followedBy(userId)}`,
    })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .leftJoin(repositoryVerifications, eq(repositoryVerifications.repositoryId, repositories.id))
    .leftJoin(holders, eq(holders.id, repositories.lockedById))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(and(eq(repositories.id, sql.placeholder('id')), eq(repositories.state, 'ready')))
    .prepare('head_by_id');
});

/** Reads the columns that every page of a repository shows. */
export async function findHead(db: Db, id: number, userId: number) {
  const [row] = await headById(db).execute({ id, userId });
  return row;
}
