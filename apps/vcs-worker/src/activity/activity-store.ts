import { levels } from '@trunkline/contracts';
import { auditLog, followers, operations, repositories, users, type Db } from '@trunkline/db';
import { and, desc, eq, inArray, isNotNull, lt, notExists, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveLevel } from '../authz/repository/effective-level.ts';
import { toldMethods } from './action-words.ts';

/** The reader, and the page of the list. */
export interface ActivityQuery {
  readonly user: { readonly id: number; readonly admin: boolean };
  readonly limit: number;
  /** Only entries older than the one with this id. */
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
 * Calls that succeeded and have words; a call that made another user follow is left out, since the words would be
 * wrong.
 */
const told = (cursor: number | null) =>
  and(
    eq(auditLog.outcome, 'succeeded'),
    inArray(auditLog.method, toldMethods),
    sql`(${auditLog.method} not in ('follow_repo', 'unfollow_repo')
      or coalesce(${auditLog.args}->>'userid', ${auditLog.actor}) in (${auditLog.actor}, ${auditLog.actorId}::text))`,
    cursor === null ? undefined : lt(auditLog.id, cursor),
  );

/** Activity on repositories that the user follows and may read: the newest of each, by the index. */
async function listFollowed(db: Db, { user, limit, cursor }: ActivityQuery) {
  const rule = effectiveLevel(db, user.id);
  const entries = db
    .select(entryColumns)
    .from(auditLog)
    .where(and(eq(auditLog.repositoryId, repositories.id), told(cursor)))
    .orderBy(desc(auditLog.id))
    .limit(limit)
    .as('entries');
  const { id, at, actorId, actor, method, args } = entries;
  return db
    .select({ id, at, actorId, actor, method, args, ...actorColumns, repository: repositories.name })
    .from(followers)
    .innerJoin(users, eq(users.id, followers.userId))
    .innerJoin(repositories, and(eq(repositories.id, followers.repositoryId), eq(repositories.state, 'ready')))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .innerJoinLateral(entries, sql`true`)
    .leftJoin(actors, eq(actors.id, actorId))
    .where(and(eq(followers.userId, user.id), sql`${rule.level} >= ${levels.read}`))
    .orderBy(desc(id))
    .limit(limit);
}

/** Activity on deleted repositories: the user's own calls, and for administrators also the deletions. */
async function listGone(db: Db, { user, limit, cursor }: ActivityQuery) {
  const his = eq(auditLog.actorId, user.id);
  const there = db.select({ id: repositories.id }).from(repositories).where(eq(repositories.id, auditLog.repositoryId));
  return db
    .select({
      ...entryColumns,
      ...actorColumns,
      gone: sql<string>`coalesce(${operations.request}->>'name', ${auditLog.args}->>'repo_name',
        ${auditLog.args}->>'fork_name', ${auditLog.args}->>'repoid', '')`,
    })
    .from(auditLog)
    .leftJoin(operations, eq(operations.id, auditLog.requestId))
    .leftJoin(actors, eq(actors.id, auditLog.actorId))
    .where(
      and(
        user.admin ? or(his, eq(auditLog.method, 'delete_repo')) : his,
        isNotNull(auditLog.repositoryId),
        notExists(there),
        told(cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit);
}

/** Activity on repositories that the user follows, and on deleted ones that the user acted on, the newest first. */
export async function listOwnActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const [followed, gone] = await Promise.all([listFollowed(db, query), listGone(db, query)]);
  const rows = [
    ...followed.map((row) => ({ ...row, gone: false })),
    ...gone.map(({ gone: repository, ...row }) => ({ ...row, repository, gone: true })),
  ];
  return rows.sort((one, other) => other.id - one.id).slice(0, query.limit);
}

/** Activity on repositories that both the user `default` and this user may read, the newest first. */
export async function listPublicActivity(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const { user, limit, cursor } = query;
  const rule = effectiveLevel(db, user.id);
  const rows = await db
    .select({ ...entryColumns, ...actorColumns, repository: repositories.name })
    .from(auditLog)
    .innerJoin(repositories, and(eq(repositories.id, auditLog.repositoryId), eq(repositories.state, 'ready')))
    .innerJoin(users, eq(users.id, user.id))
    .innerJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .leftJoin(actors, eq(actors.id, auditLog.actorId))
    .where(
      and(
        eq(repositories.private, false),
        sql`${rule.everybody.table.level} >= ${levels.read}`,
        sql`${rule.level} >= ${levels.read}`,
        told(cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, gone: false }));
}

export interface ActivityRow {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  /** Null when the user was deleted, too. */
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The repository's present name; for a deleted one its last name, if known. */
  readonly repository: string;
  readonly gone: boolean;
}
