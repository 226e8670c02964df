import { levels } from '@trunkline/contracts';
import { auditLog, clientFetches, followers, operations, repositories, users, type Db } from '@trunkline/db';
import { and, desc, eq, inArray, isNotNull, lt, notExists, sql, type SQL } from 'drizzle-orm';
import { alias, unionAll, type PgColumn } from 'drizzle-orm/pg-core';
import { idsByMethod } from '../audit/ids-by-method.ts';
import { effectiveLevel } from '../authz/repository/effective-level.ts';
import { fetchAction, shownMethods } from './action-words.ts';

/** The reader of the activity, and the page to read. */
export interface ActivityQuery {
  readonly user: { readonly id: number; readonly admin: boolean };
  readonly limit: number;
  /** Id of an entry: only older entries are listed. Null for the first page. */
  readonly cursor: number | null;
}

const actors = alias(users, 'actors');

const entryColumns = {
  id: auditLog.id,
  at: auditLog.at,
  actorId: auditLog.actorId,
  actor: auditLog.actor,
  method: auditLog.method,
  args: auditLog.args,
};
const fetchColumns = {
  id: clientFetches.id,
  at: clientFetches.at,
  actorId: clientFetches.actorId,
  actor: clientFetches.actor,
  method: sql<string>`${fetchAction}::text`.as('method'),
  args: sql<Readonly<Record<string, unknown>>>`jsonb_build_object('count', ${clientFetches.count})`.as('args'),
};
const actorColumns = { firstname: actors.firstname, lastname: actors.lastname };

const beforeCursor = (id: PgColumn, cursor: number | null) => (cursor === null ? undefined : lt(id, cursor));

/**
 * Condition for succeeded calls of `shownMethods`. A call that made another user follow or unfollow is left out, since
 * its words would name the caller as the follower.
 */
const isShown = ({ outcome, method, args, actor, actorId }: typeof auditLog | NewestEntries) =>
  and(
    eq(outcome, 'succeeded'),
    inArray(method, shownMethods),
    sql`(${method} not in ('follow_repo', 'unfollow_repo')
      or coalesce(${args}->>'userid', ${actor}) in (${actor}, ${actorId}::text))`,
  );

/**
 * Number of entries of the audit log among which a page of activity is looked for, by what has no index: whether the
 * repository is public, or has been deleted.
 */
const searchedMax = { ofEverybody: 10_000, ofUser: 1_000 };

/** The newest entries that fulfil a condition for which there is an index. */
function newestEntries(db: Db, condition: SQL | undefined, cursor: number | null, limit: number) {
  const { outcome, requestId, repositoryId } = auditLog;
  return db
    .select({ ...entryColumns, outcome, requestId, repositoryId })
    .from(auditLog)
    .where(and(condition, beforeCursor(auditLog.id, cursor)))
    .orderBy(desc(auditLog.id))
    .limit(limit)
    .as('newest');
}

/** The newest clones and fetches. */
function newestFetches(db: Db, cursor: number | null, limit: number) {
  return db
    .select({ ...fetchColumns, repositoryId: clientFetches.repositoryId })
    .from(clientFetches)
    .where(beforeCursor(clientFetches.id, cursor))
    .orderBy(desc(clientFetches.id))
    .limit(limit)
    .as('newest');
}

/** Above every id. */
const maxId = String(2n ** 63n - 1n);

type NewestEntries = ReturnType<typeof newestEntries>;
type NewestFetches = ReturnType<typeof newestFetches>;

const shownColumns = ({ id, at, actorId, actor, method, args }: NewestEntries | NewestFetches) => ({
  id,
  at,
  actorId,
  actor,
  method,
  args,
});

/** Returns the newest entries of a repository of the outer query: of the audit log, and of clones and fetches. */
function entriesOfRepository(db: Db, { limit, cursor }: ActivityQuery) {
  const recorded = db
    .select(entryColumns)
    .from(auditLog)
    .where(and(eq(auditLog.repositoryId, repositories.id), isShown(auditLog), beforeCursor(auditLog.id, cursor)))
    .orderBy(desc(auditLog.id))
    .limit(limit);
  const counted = db
    .select(fetchColumns)
    .from(clientFetches)
    .where(and(eq(clientFetches.repositoryId, repositories.id), beforeCursor(clientFetches.id, cursor)))
    .orderBy(desc(clientFetches.id))
    .limit(limit);
  return unionAll(recorded, counted).as('entries');
}

/** Lists activity on repositories that the user follows and may read: the newest entries of each, found by an index. */
async function listFollowed(db: Db, query: ActivityQuery) {
  const { user, limit } = query;
  const access = effectiveLevel(db, user.id);
  const entries = entriesOfRepository(db, query);
  const { id, at, actorId, actor, method, args } = entries;
  return db
    .select({ id, at, actorId, actor, method, args, ...actorColumns, repository: repositories.name })
    .from(followers)
    .innerJoin(users, eq(users.id, followers.userId))
    .innerJoin(repositories, and(eq(repositories.id, followers.repositoryId), eq(repositories.state, 'ready')))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .innerJoinLateral(entries, sql`true`)
    .leftJoin(actors, eq(actors.id, actorId))
    .where(and(eq(followers.userId, user.id), sql`${access.level} >= ${levels.read}`))
    .orderBy(desc(id))
    .limit(limit);
}

/** Lists activity on deleted repositories among entries of the audit log. */
async function listOnDeleted(db: Db, newest: NewestEntries, limit: number) {
  const existing = db
    .select({ id: repositories.id })
    .from(repositories)
    .where(eq(repositories.id, newest.repositoryId));
  return db
    .select({
      ...shownColumns(newest),
      ...actorColumns,
      repositoryName: sql<string>`coalesce(${operations.request}->>'name', ${newest.args}->>'repo_name',
        ${newest.args}->>'fork_name', ${newest.args}->>'repoid', '')`,
    })
    .from(newest)
    .leftJoin(operations, eq(operations.id, newest.requestId))
    .leftJoin(actors, eq(actors.id, newest.actorId))
    .where(and(isNotNull(newest.repositoryId), notExists(existing), isShown(newest)))
    .orderBy(desc(newest.id))
    .limit(limit);
}

/** Lists the user's own calls on repositories that are deleted now and, for administrators, also the deletions of others. */
async function listOwnOnDeleted(db: Db, { user, limit, cursor }: ActivityQuery) {
  const own = newestEntries(db, eq(auditLog.actorId, user.id), cursor, searchedMax.ofUser);
  const rows = await listOnDeleted(db, own, limit);
  if (!user.admin) return rows;
  const ids = idsByMethod({
    method: 'delete_repo',
    outcomes: ['succeeded'],
    from: sql`0`,
    before: cursor === null ? sql`${maxId}::bigint` : sql`${cursor}::bigint`,
    order: 'desc',
    limit: searchedMax.ofUser,
  });
  const deletions = newestEntries(db, sql`${auditLog.id} = any(array(${ids}))`, null, searchedMax.ofUser);
  const ofOthers = (await listOnDeleted(db, deletions, limit)).filter(({ actorId }) => actorId !== user.id);
  return [...rows, ...ofOthers];
}

function newestOf(rows: readonly ActivityRow[], { limit }: ActivityQuery): ActivityRow[] {
  return rows.toSorted((one, other) => other.id - one.id).slice(0, limit);
}

/** Lists activity on followed repositories, and on deleted ones on which the user acted, the newest first. */
export async function listOwnActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const [followed, onDeleted] = await Promise.all([listFollowed(db, query), listOwnOnDeleted(db, query)]);
  const rows = [
    ...followed.map((row) => ({ ...row, isDeleted: false })),
    ...onDeleted.map(({ repositoryName: repository, ...row }) => ({ ...row, repository, isDeleted: true })),
  ];
  return newestOf(rows, query);
}

/** Returns the condition for a repository that both the user `default` and the reader may read, and the joins it needs. */
function publicAccess(db: Db, userId: number) {
  const access = effectiveLevel(db, userId);
  const condition = and(
    eq(repositories.private, false),
    sql`${access.defaultUser.table.level} >= ${levels.read}`,
    sql`${access.level} >= ${levels.read}`,
  );
  return { ...access, condition };
}

/** Lists those of some entries that are on repositories that both the user `default` and this user may read, the newest first. */
async function listPublicOf(
  db: Db,
  { user, limit }: ActivityQuery,
  newest: NewestEntries | NewestFetches,
  condition: SQL | undefined,
) {
  const access = publicAccess(db, user.id);
  return db
    .select({ ...shownColumns(newest), ...actorColumns, repository: repositories.name })
    .from(newest)
    .innerJoin(repositories, and(eq(repositories.id, newest.repositoryId), eq(repositories.state, 'ready')))
    .innerJoin(users, eq(users.id, user.id))
    .innerJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .leftJoin(actors, eq(actors.id, newest.actorId))
    .where(and(access.condition, condition))
    .orderBy(desc(newest.id))
    .limit(limit);
}

/** Lists activity on repositories that both the user `default` and this user may read, the newest first. */
export async function listPublicActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const recorded = newestEntries(db, undefined, query.cursor, searchedMax.ofEverybody);
  const fetches = newestFetches(db, query.cursor, searchedMax.ofEverybody);
  const lists = await Promise.all([
    listPublicOf(db, query, recorded, isShown(recorded)),
    listPublicOf(db, query, fetches, undefined),
  ]);
  return newestOf(
    lists.flat().map((row) => ({ ...row, isDeleted: false })),
    query,
  );
}

export interface ActivityRow {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  /** First name of the actor; null also when the actor's user has been deleted. */
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Present name of the repository; for a deleted one its last name, or empty when that is unknown. */
  readonly repository: string;
  /** Whether the repository has been deleted. */
  readonly isDeleted: boolean;
}
