import { auditLog, type Db } from '@trunkline/db';
import { and, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type AuditRecord, toTimestamp } from '@trunkline/contracts';
import { idFrom, idsByMethod, idUntil, maxId } from './audit-ids.ts';

/**
 * The last name of who has an id, as the newest entry has it: of a user who is gone, and of `trunklinectl`. Compared as rows,
 * entries can only be read by the index of actors; an equation would also allow passing over the whole log, from its end.
 */
export function recordedName(actorId: AnyPgColumn): SQL<string | null> {
  return sql`(select a.actor from ${auditLog} a
    where a.actor_id >= ${actorId} and (a.actor_id, a.id) <= (${actorId}, ${maxId}::bigint)
    order by a.actor_id desc, a.id desc limit 1)`;
}

type Outcome = typeof auditLog.$inferSelect.outcome;

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
  const { actorId, method, outcome, from, until, limit, cursor } = filter;
  const idsFrom = idFrom(from);
  const idsBefore = cursor === null ? idUntil(until) : sql`least(${cursor}::bigint, ${idUntil(until)})`;
  const inTime = and(
    from === null ? undefined : gte(auditLog.at, from),
    // Rows have microseconds, but records show milliseconds: the millisecond `until` counts in full.
    until === null ? undefined : lt(auditLog.at, new Date(until.getTime() + 1)),
  );
  const byId = and(
    actorId === null ? undefined : eq(auditLog.actorId, actorId),
    method === null ? undefined : eq(auditLog.method, method),
    outcome === null ? undefined : eq(auditLog.outcome, outcome),
    sql`${auditLog.id} >= ${idsFrom} and ${auditLog.id} < ${idsBefore}`,
    inTime,
  );
  const outcomes = outcome && [outcome];
  const range = { from: idsFrom, before: idsBefore, where: inTime };
  const ids = idsByMethod({ method, outcomes, ...range, limit });
  const isByMethod = actorId === null && (method !== null || outcome !== null);
  return db
    .select()
    .from(auditLog)
    .where(isByMethod ? sql`${auditLog.id} = any(array(${ids}))` : byId)
    .orderBy(desc(auditLog.id))
    .limit(limit);
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number];

export function toAuditRecord(row: AuditRow): AuditRecord {
  return {
    audit_id: row.id,
    request_id: row.requestId,
    date: toTimestamp(row.at),
    user_id: row.actorId,
    username: row.actor,
    ip_addr: row.ip,
    method: row.method,
    args: row.args,
    outcome: row.outcome,
    error: row.error,
  };
}
