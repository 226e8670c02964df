import { auditLog, countedRefusals, type Db } from '@trunkline/db';
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Batch } from '../operations/remove-in-batches.ts';
import type { AuditedCall } from './audited-call.ts';
import { boundError } from './bounded-entry.ts';
import { repeatedCommand } from './repeated-command.ts';

type Outcome = typeof auditLog.$inferSelect.outcome;

/**
 * Records a call in the transaction that acts; for a call of several transactions the first record is kept. The
 * username is an argument, since the call may have deleted its own user. Throws UnavailableError when the same command
 * was run before.
 */
export async function recordCall(
  db: Db,
  { userId, recorded, ...call }: AuditedCall,
  outcome: Outcome,
  { username, repositoryId }: { username: string; repositoryId: number | null },
): Promise<void> {
  const { requestId, ip, method, args } = call;
  // A refusal that was only counted has its id in another table.
  const inserted = await db.execute(sql`
    insert into ${auditLog} (request_id, actor_id, actor, ip, method, args, repository_id, outcome)
    select ${requestId}::uuid, ${userId}::int, ${username}, ${ip}, ${method}, ${JSON.stringify(args)}::jsonb,
      ${repositoryId}::int, ${outcome}
    where not exists (select 1 from ${countedRefusals} where request_id = ${requestId}::uuid)
    on conflict do nothing returning id`);
  if (inserted.length === 0 && !recorded) throw repeatedCommand();
}

/** Records that a call failed after a part of it was committed and recorded. */
export async function recordFailure(db: Db, { requestId }: AuditedCall, text: string): Promise<void> {
  await db
    .update(auditLog)
    .set({ outcome: 'failed', error: boundError(text) })
    .where(and(eq(auditLog.requestId, requestId), eq(auditLog.outcome, 'succeeded')));
}

/** Records the outcome of a call whose operation has ended. */
export async function recordEnd(db: Db, requestId: string, outcome: Outcome, error: string | null) {
  await db
    .update(auditLog)
    .set({ outcome, error: error === null ? null : boundError(error) })
    .where(and(eq(auditLog.requestId, requestId), eq(auditLog.outcome, 'running')));
}

/** Removes a batch of the entries older than `days` days and returns their times. */
export async function removeOldAudit(db: Db, days: number, { from, rowsMax }: Batch): Promise<readonly Date[]> {
  const old = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(and(lt(auditLog.at, sql`now() - make_interval(days => ${days})`), from ? gte(auditLog.at, from) : undefined))
    .orderBy(auditLog.at)
    .limit(rowsMax)
    .for('update', { skipLocked: true });
  const removed = await db.delete(auditLog).where(inArray(auditLog.id, old)).returning({ at: auditLog.at });
  return removed.map(({ at }) => at);
}

export interface AuditFilter {
  readonly actorId: number | null;
  readonly method: string | null;
  readonly outcome: Outcome | null;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly limit: number;
  /** Id of an entry: only older entries are listed. */
  readonly cursor: number | null;
}

/** Lists the entries that match the filter, the newest first. */
export async function listAudit(db: Db, filter: AuditFilter) {
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        filter.actorId === null ? undefined : eq(auditLog.actorId, filter.actorId),
        filter.method === null ? undefined : eq(auditLog.method, filter.method),
        filter.outcome === null ? undefined : eq(auditLog.outcome, filter.outcome),
        filter.from === null ? undefined : gte(auditLog.at, filter.from),
        // Rows have microseconds, but records show milliseconds: the millisecond `until` counts in full.
        filter.until === null ? undefined : lt(auditLog.at, new Date(filter.until.getTime() + 1)),
        filter.cursor === null ? undefined : lt(auditLog.id, filter.cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(filter.limit);
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number];
