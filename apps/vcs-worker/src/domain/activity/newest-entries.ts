import { auditLog, clientFetches, type Db } from '@trunkline/db';
import { and, desc, eq, inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { fetchAction, shownMethods } from './action-words.ts';

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

const beforeCursor = (id: PgColumn, cursor: number | null) => (cursor === null ? undefined : lt(id, cursor));

/**
 * Condition for succeeded calls of `shownMethods`. A call that made another user follow or unfollow is left out, since
 * its words would name the caller as the follower.
 */
export const isShown = ({ outcome, method, args, actor, actorId }: typeof auditLog | NewestEntries) =>
  and(
    eq(outcome, 'succeeded'),
    inArray(method, shownMethods),
    sql`(${method} not in ('follow_repo', 'unfollow_repo')
      or coalesce(${args}->>'userid', ${actor}) in (${actor}, ${actorId}::text))`,
  );

/**
 * Number of entries of the audit log among which a page of activity is looked for, by what has no index: whether an entry is
 * shown, and whether its repository is public, is one of many that the user follows, or has been deleted.
 */
export const searchedMax = { ofAll: 10_000, ofUser: 1_000 };

/** The newest entries that fulfil a condition for which there is an index. */
export function newestEntries(db: Db, condition: SQL | undefined, cursor: number | null, limit: number) {
  const { outcome, requestId, repositoryId } = auditLog;
  return db
    .select({ ...entryColumns, outcome, requestId, repositoryId })
    .from(auditLog)
    .where(and(condition, beforeCursor(auditLog.id, cursor)))
    .orderBy(desc(auditLog.id))
    .limit(limit)
    .as('newest');
}

/** As `newestEntries`, of the clones and fetches. */
export function newestFetches(db: Db, condition: SQL | undefined, cursor: number | null, limit: number) {
  return db
    .select({ ...fetchColumns, repositoryId: clientFetches.repositoryId })
    .from(clientFetches)
    .where(and(condition, beforeCursor(clientFetches.id, cursor)))
    .orderBy(desc(clientFetches.id))
    .limit(limit)
    .as('newest');
}

export type NewestEntries = ReturnType<typeof newestEntries>;
export type NewestFetches = ReturnType<typeof newestFetches>;

/** Selects the columns that all queries for entries have. */
export const shownColumns = <Entries extends Readonly<Record<keyof typeof entryColumns, unknown>>>({
  id,
  at,
  actorId,
  actor,
  method,
  args,
}: Entries): Pick<Entries, keyof typeof entryColumns> => ({ id, at, actorId, actor, method, args });
