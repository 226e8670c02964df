import { levels } from '@trunkline/contracts';
import { auditLog, followers, operations, repositories, users, type Db } from '@trunkline/db';
import { and, desc, eq, inArray, isNotNull, lt, notExists, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveLevel } from '../authz/repository/effective-level.ts';
import { shownMethods } from './action-words.ts';

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
const actorColumns = { firstname: actors.firstname, lastname: actors.lastname };

/**
 * Condition for succeeded calls of `shownMethods`. A call that made another user follow or unfollow is left out, since
 * its words would name the caller as the follower.
 */
const shown = (cursor: number | null) =>
  and(
    eq(auditLog.outcome, 'succeeded'),
    inArray(auditLog.method, shownMethods),
    sql`(${auditLog.method} not in ('follow_repo', 'unfollow_repo')
      or coalesce(${auditLog.args}->>'userid', ${auditLog.actor}) in (${auditLog.actor}, ${auditLog.actorId}::text))`,
    cursor === null ? undefined : lt(auditLog.id, cursor),
  );

/** Lists activity on repositories that the user follows and may read: the newest entries of each, found by an index. */
async function listFollowed(db: Db, { user, limit, cursor }: ActivityQuery) {
  const access = effectiveLevel(db, user.id);
  const entries = db
    .select(entryColumns)
    .from(auditLog)
    .where(and(eq(auditLog.repositoryId, repositories.id), shown(cursor)))
    .orderBy(desc(auditLog.id))
    .limit(limit)
    .as('entries');
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

/**
 * Lists activity on deleted repositories: the user's own calls and, for administrators, also the deletions of others.
 */
async function listOnDeleted(db: Db, { user, limit, cursor }: ActivityQuery) {
  const byUser = eq(auditLog.actorId, user.id);
  const existing = db
    .select({ id: repositories.id })
    .from(repositories)
    .where(eq(repositories.id, auditLog.repositoryId));
  return db
    .select({
      ...entryColumns,
      ...actorColumns,
      repositoryName: sql<string>`coalesce(${operations.request}->>'name', ${auditLog.args}->>'repo_name',
        ${auditLog.args}->>'fork_name', ${auditLog.args}->>'repoid', '')`,
    })
    .from(auditLog)
    .leftJoin(operations, eq(operations.id, auditLog.requestId))
    .leftJoin(actors, eq(actors.id, auditLog.actorId))
    .where(
      and(
        user.admin ? or(byUser, eq(auditLog.method, 'delete_repo')) : byUser,
        isNotNull(auditLog.repositoryId),
        notExists(existing),
        shown(cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit);
}

/** Lists activity on followed repositories, and on deleted ones on which the user acted, the newest first. */
export async function listOwnActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const [followed, onDeleted] = await Promise.all([listFollowed(db, query), listOnDeleted(db, query)]);
  const rows = [
    ...followed.map((row) => ({ ...row, isDeleted: false })),
    ...onDeleted.map(({ repositoryName: repository, ...row }) => ({ ...row, repository, isDeleted: true })),
  ];
  return rows.sort((one, other) => other.id - one.id).slice(0, query.limit);
}

/** Lists activity on repositories that both the user `default` and this user may read, the newest first. */
export async function listPublicActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const { user, limit, cursor } = query;
  const access = effectiveLevel(db, user.id);
  const rows = await db
    .select({ ...entryColumns, ...actorColumns, repository: repositories.name })
    .from(auditLog)
    .innerJoin(repositories, and(eq(repositories.id, auditLog.repositoryId), eq(repositories.state, 'ready')))
    .innerJoin(users, eq(users.id, user.id))
    .innerJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .leftJoin(actors, eq(actors.id, auditLog.actorId))
    .where(
      and(
        eq(repositories.private, false),
        sql`${access.defaultUser.table.level} >= ${levels.read}`,
        sql`${access.level} >= ${levels.read}`,
        shown(cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, isDeleted: false }));
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
