import { methods, UnavailableError } from '@trunkline/contracts';
import { sql } from 'drizzle-orm';
import { auditLog, countedRefusals, type Db, failedStarts, preparedSql } from '@trunkline/db';
import type { Batch, Removed } from '../../jobs/sweeps/remove-in-batches.ts';
import { type AuditedCall, boundError } from './audited-call.ts';
import { idOfAge } from './audit-ids.ts';

/** Returns the refusal of a replayed command. A known id means a replay, since gateways give every call a new id. */
export function repeatedCommand(): UnavailableError {
  return new UnavailableError({ cause: new Error('the command was already run: it was replayed on the bus') });
}

const startingMethods = Object.values(methods).flatMap(({ name, access }) => (access === 'operation' ? [name] : []));

/** Condition for a failed call that began no operation: the entry of a call that began one has a repository. */
export const isFailedStart = sql`repository_id is null and method in ${startingMethods}`;

type Outcome = typeof auditLog.$inferSelect.outcome;

const requestId = sql`${sql.placeholder('requestId')}::uuid`;

// A refusal that was only counted has its id in another table.
const insertEntry = preparedSql(sql`
  insert into ${auditLog} (request_id, actor_id, actor, ip, method, args, repository_id, outcome)
  select ${requestId}, ${sql.placeholder('userId')}::int, ${sql.placeholder('username')}::text,
    ${sql.placeholder('ip')}::text, ${sql.placeholder('method')}::text, ${sql.placeholder('args')}::jsonb,
    ${sql.placeholder('repositoryId')}::int, ${sql.placeholder('outcome')}::text
  where not exists (select 1 from ${countedRefusals} where request_id = ${requestId})
  on conflict do nothing returning id`);

const endEntry = preparedSql(sql`
  update ${auditLog} set outcome = ${sql.placeholder('outcome')}::text, error = ${sql.placeholder('error')}::text
  where request_id = ${requestId} and outcome = 'running'`);

/**
 * Records a call in the transaction that acts; for a call of several transactions the first record is kept. The
 * username is an argument, since the call may have deleted its own user. Throws UnavailableError when the same command
 * was run before.
 */
export async function recordCall(
  db: Db,
  { args, recorded, ...call }: AuditedCall,
  outcome: Outcome,
  { username, repositoryId }: { username: string; repositoryId: number | null },
): Promise<void> {
  const entry = { ...call, args: JSON.stringify(args), username, repositoryId, outcome };
  const inserted = await insertEntry(db).execute(entry);
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
  await endEntry(db).execute({ requestId, outcome, error: error === null ? null : boundError(error) });
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
