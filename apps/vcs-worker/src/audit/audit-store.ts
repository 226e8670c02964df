import { auditLog, type Db } from '@trunkline/db';
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { AuditedCall } from './audited-call.ts';
import { repeatedCommand } from './repeated-command.ts';

type Outcome = typeof auditLog.$inferSelect.outcome;

function actorOf(userId: number, username?: string) {
  return {
    actorId: userId,
    actor: username ?? sql`coalesce((select username from users where id = ${userId}), '')`,
  };
}

/**
 * Records a call in the transaction that acts. A call that acts in several transactions keeps the record of the first
 * one. The username is an argument, since the call may have deleted its own user. Throws when the same command was run
 * before.
 */
export async function recordCall(
  db: Db,
  { userId, recorded, ...call }: AuditedCall,
  outcome: Outcome,
  { username, repositoryId }: { username: string; repositoryId: number | null },
): Promise<void> {
  const inserted = await db
    .insert(auditLog)
    .values({ ...call, ...actorOf(userId, username), repositoryId, outcome })
    .onConflictDoNothing()
    .returning({ id: auditLog.id });
  if (inserted.length === 0 && !recorded) throw repeatedCommand();
}

/** Records that a call failed, also when a part of it was committed and recorded before. */
export async function recordFailure(db: Db, { userId, recorded, ...call }: AuditedCall, error: string): Promise<void> {
  const insert = db.insert(auditLog).values({ ...call, ...actorOf(userId), outcome: 'failed', error });
  await (recorded
    ? insert.onConflictDoUpdate({
        target: auditLog.requestId,
        set: { outcome: 'failed', error },
        setWhere: eq(auditLog.outcome, 'succeeded'),
      })
    : insert.onConflictDoNothing());
}

/** Records the outcome of a call whose operation has ended. */
export async function recordEnd(db: Db, requestId: string, outcome: Outcome, error: string | null) {
  await db
    .update(auditLog)
    .set({ outcome, error })
    .where(and(eq(auditLog.requestId, requestId), eq(auditLog.outcome, 'running')));
}

/** Removes calls of more than so many days ago: the oldest, at most `rowsMax` of them. */
export async function removeOldAudit(db: Db, days: number, rowsMax: number): Promise<void> {
  const old = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(lt(auditLog.at, sql`now() - make_interval(days => ${days})`))
    .orderBy(auditLog.at)
    .limit(rowsMax)
    .for('update', { skipLocked: true });
  await db.delete(auditLog).where(inArray(auditLog.id, old));
}

export interface AuditFilter {
  readonly actorId: number | null;
  readonly method: string | null;
  readonly outcome: Outcome | null;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly limit: number | null;
  /** Only entries older than the one with this id. */
  readonly cursor: number | null;
}

/** The entries that match the filter, the newest first. */
export async function listAudit(db: Db, filter: AuditFilter) {
  const rows = db
    .select()
    .from(auditLog)
    .where(
      and(
        filter.actorId === null ? undefined : eq(auditLog.actorId, filter.actorId),
        filter.method === null ? undefined : eq(auditLog.method, filter.method),
        filter.outcome === null ? undefined : eq(auditLog.outcome, filter.outcome),
        filter.from === null ? undefined : gte(auditLog.at, filter.from),
        // Records show milliseconds, rows have microseconds.
        filter.until === null ? undefined : lt(auditLog.at, new Date(filter.until.getTime() + 1)),
        filter.cursor === null ? undefined : lt(auditLog.id, filter.cursor),
      ),
    )
    .orderBy(desc(auditLog.id));
  return filter.limit === null ? rows : rows.limit(filter.limit);
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number];
