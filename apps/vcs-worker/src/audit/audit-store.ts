import { auditLog, countedRefusals, failedStarts, type Db } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import type { Batch, Removed } from '../operations/remove-in-batches.ts';
import type { AuditedCall } from './audited-call.ts';
import { boundError } from './bounded-entry.ts';
import { isFailedStart } from './failed-start.ts';
import { idOfAge } from './id-at-time.ts';
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
  await db.execute(sql`with entry as (
      update ${auditLog} set outcome = 'failed', error = ${boundError(text)}
      where request_id = ${requestId}::uuid and outcome = 'succeeded'
      returning request_id, at, actor_id, method, repository_id)
    insert into ${failedStarts} (request_id, at, actor_id)
    select request_id, at, actor_id from entry where ${isFailedStart}`);
}

/** Records the outcome of a call whose operation has ended. */
export async function recordEnd(db: Db, requestId: string, outcome: Outcome, error: string | null) {
  await db
    .update(auditLog)
    .set({ outcome, error: error === null ? null : boundError(error) })
    .where(and(eq(auditLog.requestId, requestId), eq(auditLog.outcome, 'running')));
}

/** Removes a batch of the entries older than `days` days, by id. They may stay for a few minutes more. */
export async function removeOldAudit(db: Db, days: number, batch: Batch<number>): Promise<Removed<number>> {
  const after = sql`id > ${batch.from ?? 0}::bigint`;
  const old = sql`select id from ${auditLog} where ${after} and id < ${idOfAge(days, batch.from)}
    order by id limit ${batch.rowsMax}::int for update skip locked`;
  const [row] = await db.execute(sql`with gone as (
      delete from ${auditLog} where id = any(array(${old})) returning id, request_id, outcome, repository_id),
    starts as (delete from ${failedStarts}
      where request_id = any(array(select request_id from gone where outcome = 'failed' and repository_id is null)))
    select count(*)::int as rows, max(id)::text as last from gone`);
  const rows = Number(row?.['rows']);
  return { rows, last: rows === 0 ? null : Number(row?.['last']) };
}
