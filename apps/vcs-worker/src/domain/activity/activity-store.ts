import { levels } from '@trunkline/contracts';
import { auditLog, clientFetches, followers, operations, repositories, users, type Db } from '@trunkline/db';
import { and, desc, eq, gte, isNotNull, notExists, sql, type SQL } from 'drizzle-orm';
import { alias, unionAll, type AnyPgColumn } from 'drizzle-orm/pg-core';
import { idsByMethod, maxId } from '../audit/audit-ids.ts';
import { effectiveLevel } from '../../authz/effective-level.ts';
import { followedBy } from '../repo/repository-list-store.ts';
import {
  isShown,
  newestEntries,
  newestFetches,
  searchedMax,
  shownColumns,
  type NewestEntries,
  type NewestFetches,
} from './newest-entries.ts';

/** The reader of the activity, and the page to read. */
export interface ActivityQuery {
  readonly user: { readonly id: number; readonly admin: boolean };
  readonly limit: number;
  /** Id of an entry: only older entries are listed. Null for the first page. */
  readonly cursor: number | null;
}

const actors = alias(users, 'actors');

const actorColumns = { firstname: actors.firstname, lastname: actors.lastname };

/**
 * The activity of so many followed repositories is read by index, repository by repository; that of more is looked for
 * among the newest entries of all.
 */
const followedMax = 200;

/** Query for so many repositories that the user follows and may read. */
function readableFollowed(db: Db, userId: number, limit: number) {
  const access = effectiveLevel(db, userId);
  return db
    .select({ repositoryId: repositories.id, repository: repositories.name })
    .from(followers)
    .innerJoin(users, eq(users.id, followers.userId))
    .innerJoin(repositories, and(eq(repositories.id, followers.repositoryId), eq(repositories.state, 'ready')))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(and(eq(followers.userId, userId), sql`${access.level} >= ${levels.read}`))
    .limit(limit)
    .as('readable');
}

/**
 * Returns the newest entries of a repository of the outer query: of the audit log, where so many are searched, and of clones
 * and fetches.
 */
function entriesOf(db: Db, id: AnyPgColumn, searched: number, { limit, cursor }: ActivityQuery) {
  const newest = newestEntries(db, eq(auditLog.repositoryId, id), cursor, searched);
  const fetches = newestFetches(db, eq(clientFetches.repositoryId, id), cursor, limit);
  const recorded = db
    .select(shownColumns(newest))
    .from(newest)
    .where(isShown(newest))
    .orderBy(desc(newest.id))
    .limit(limit);
  return unionAll(recorded, db.select(shownColumns(fetches)).from(fetches)).as('entries');
}

/** Lists activity on so many repositories that the user follows, as far as the user may read them: the newest entries of each. */
async function listOnFew(db: Db, query: ActivityQuery, followed: number) {
  const readable = readableFollowed(db, query.user.id, followed);
  const searched = Math.max(query.limit, Math.floor(searchedMax.ofAll / followed));
  const entries = entriesOf(db, readable.repositoryId, searched, query);
  // The rights are read once for each repository, and the actors for what is shown alone.
  const page = db
    .select({ ...shownColumns(entries), repository: readable.repository })
    .from(readable)
    .innerJoinLateral(entries, sql`true`)
    .orderBy(desc(entries.id))
    .limit(query.limit)
    .as('page');
  return db
    .select({ ...shownColumns(page), ...actorColumns, repository: page.repository })
    .from(page)
    .leftJoin(actors, eq(actors.id, page.actorId))
    .orderBy(desc(page.id));
}

/** Returns the condition that entries have to fulfil, from the joins that read the level of the user. */
type ConditionOn = (access: ReturnType<typeof effectiveLevel>) => SQL | undefined;

/** Lists those of some entries that are on repositories that the user may read and fulfil a condition, the newest first. */
async function listReadableOf(
  db: Db,
  { user, limit }: ActivityQuery,
  newest: NewestEntries | NewestFetches,
  conditionOn: ConditionOn,
) {
  const access = effectiveLevel(db, user.id);
  return db
    .select({ ...shownColumns(newest), ...actorColumns, repository: repositories.name })
    .from(newest)
    .innerJoin(repositories, and(eq(repositories.id, newest.repositoryId), eq(repositories.state, 'ready')))
    .innerJoin(users, eq(users.id, user.id))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .leftJoin(actors, eq(actors.id, newest.actorId))
    .where(and(conditionOn(access), sql`${access.level} >= ${levels.read}`))
    .orderBy(desc(newest.id))
    .limit(limit);
}

/** Lists activity on repositories that the user may read and that fulfil a condition, among the newest entries of all. */
async function listAmongAll(db: Db, query: ActivityQuery, conditionOn: ConditionOn) {
  const recorded = newestEntries(db, undefined, query.cursor, searchedMax.ofAll);
  const fetches = newestFetches(db, undefined, query.cursor, searchedMax.ofAll);
  const lists = await Promise.all([
    listReadableOf(db, query, recorded, (access) => and(isShown(recorded), conditionOn(access))),
    listReadableOf(db, query, fetches, conditionOn),
  ]);
  return lists.flat();
}

/** Lists activity on repositories that the user follows and may read. */
async function listFollowed(db: Db, query: ActivityQuery) {
  const { id: userId } = query.user;
  const some = await db
    .select({ id: followers.repositoryId })
    .from(followers)
    .where(eq(followers.userId, userId))
    .limit(followedMax + 1);
  if (some.length === 0) return [];
  if (some.length <= followedMax) return listOnFew(db, query, some.length);
  return listAmongAll(db, query, () => followedBy(userId));
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

/** Lists activity on repositories that both the user `default` and this user may read, the newest first. */
export async function listPublicActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const rows = await listAmongAll(db, query, ({ defaultUser }) =>
    and(eq(repositories.private, false), gte(defaultUser.table.level, levels.read)),
  );
  return newestOf(
    rows.map((row) => ({ ...row, isDeleted: false })),
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
