import { auditLog, countedRefusals, databaseFailure, type Db, failedStarts, refusalCounts, users } from '@trunkline/db';
import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import {
  AuthenticationError,
  BusyError,
  OutcomeUnknownError,
  toRpcError,
  UnavailableError,
  WrongStorageError,
} from '@trunkline/contracts';
import { type Batch, type Removed, removedWithTimes } from '../../jobs/sweeps/remove-in-batches.ts';
import { type AuditedCall, boundError, cutToChars } from './audited-call.ts';
import { isFailedStart, recordFailure } from './audit-store.ts';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';

/** Failed calls of one caller in a minute that have entries of their own in the audit log; one entry counts the others. */
const entriesAMinute = 10;
/** The entry that counts has this instead of a method. */
export const severalMethods = '(several)';
const countedErrorCharsMax = 200;
/** Commands may be replayed for five minutes, and the clocks of gateways and workers may differ by as much. */
const keptMinutes = 15;

/**
 * Records a call that was refused, or failed before anything of it was committed. Beyond `entriesAMinute` the
 * call gets no entry of its own: one entry counts these calls, and their ids are kept for a while.
 */
export async function recordRefusal(db: Db, call: AuditedCall, text: string): Promise<void> {
  const { requestId, userId, ip, method, args } = call;
  const isOver = sql`${refusalCounts.since} <= now() - interval '1 minute'`;
  const counted = sql`insert into ${refusalCounts} (actor_id, since, count) values (${userId}, now(), 1)
    on conflict (actor_id) do update set
      since = case when ${isOver} then now() else ${refusalCounts.since} end,
      count = case when ${isOver} then 1 else ${refusalCounts.count} + 1 end,
      counted_in = case when ${isOver} then null
        else coalesce(${refusalCounts.countedIn}, case when ${refusalCounts.count} = ${entriesAMinute} then ${requestId}::uuid end) end
    returning count, counted_in`;
  const entry = sql`insert into ${auditLog} (request_id, actor_id, actor, ip, method, args, outcome, error)
    select ${requestId}::uuid, ${userId}::int, coalesce((select username from ${users} where id = ${userId}), ''), ${ip},
      case when counted_in is null then ${method} else ${severalMethods} end,
      case when counted_in is null then ${JSON.stringify(args)}::jsonb else '{"refused_calls": 1}'::jsonb end,
      'failed',
      case when counted_in is null then ${boundError(text)} else 'Further refused calls of this minute' end
    from counted where counted_in is null or counted_in = ${requestId}::uuid
    on conflict do nothing returning request_id, at, actor_id, method, repository_id`;
  const started = sql`insert into ${failedStarts} (request_id, at, actor_id)
    select request_id, at, actor_id from entry where ${isFailedStart}
    on conflict do nothing`;
  const kept = sql`insert into ${countedRefusals} (request_id, actor_id, method, error)
    select ${requestId}::uuid, ${userId}::int, ${method}, ${cutToChars(text, countedErrorCharsMax)}
    from counted where counted_in is not null
    on conflict do nothing`;
  const [row] =
    await db.execute(sql`with counted as (${counted}), entry as (${entry}), started as (${started}), kept as (${kept})
    select count, counted_in from counted`);
  const countedIn = row?.['counted_in'];
  if (typeof countedIn !== 'string' || countedIn === requestId) return;
  // In a second statement, which sees the entry even if the call that wrote it was under way when this one was counted.
  const beyond = Number(row?.['count']) - entriesAMinute;
  await db.execute(sql`update ${auditLog}
    set args = jsonb_build_object('refused_calls', greatest((args->>'refused_calls')::int, ${beyond}::int))
    where request_id = ${countedIn}::uuid`);
}

const countedRefusalColumns = {
  id: countedRefusals.requestId,
  kind: countedRefusals.method,
  error: countedRefusals.error,
  createdAt: countedRefusals.at,
};

/** Finds a refusal that was only counted; undefined also when the reader may not see it. */
export async function findCountedRefusal(db: Db, caller: { readonly id: number; readonly admin: boolean }, id: string) {
  const [row] = await db
    .select({ ...countedRefusalColumns, user: users.username })
    .from(countedRefusals)
    .leftJoin(users, eq(users.id, countedRefusals.actorId))
    .where(and(eq(countedRefusals.requestId, id), caller.admin ? undefined : eq(countedRefusals.actorId, caller.id)));
  return row;
}

/** Removes a batch of the refusals whose commands nobody can replay any more. */
export async function removeCountedRefusals(db: Db, { rowsMax }: Batch<Date>): Promise<Removed<Date>> {
  const isOld = (column: typeof countedRefusals.at | typeof refusalCounts.since) =>
    lt(column, sql`now() - make_interval(mins => ${keptMinutes}::int)`);
  // A plan may run a sub-select again for each row; with a row lock, Postgres runs this once, before the removal.
  const old = db
    .$with('old')
    .as(
      db
        .select({ id: countedRefusals.requestId })
        .from(countedRefusals)
        .where(isOld(countedRefusals.at))
        .orderBy(countedRefusals.at)
        .limit(rowsMax)
        .for('update', { skipLocked: true }),
    );
  const removed = await db
    .with(old)
    .delete(countedRefusals)
    .where(inArray(countedRefusals.requestId, db.select({ id: old.id }).from(old)))
    .returning({ at: countedRefusals.at });
  // A row for each caller at most.
  await db.delete(refusalCounts).where(isOld(refusalCounts.since));
  return removedWithTimes(removed.map(({ at }) => at));
}

/** Time for which recording a refusal may delay the answer, when rows are locked. */
const recordMsMax = 2_000;

/** Records a failed call in the audit log, unless its caller is unknown or the call was not tried. */
export async function recordError(
  transactions: WriteTransactions,
  audited: AuditedCall,
  thrown: unknown,
): Promise<void> {
  if (databaseFailure(thrown)) return;
  const error = toRpcError(thrown);
  // The outcome of an operation that another worker takes over is recorded by that worker.
  const unrecorded = [AuthenticationError, BusyError, OutcomeUnknownError, UnavailableError, WrongStorageError];
  if (unrecorded.some((kind) => error instanceof kind)) return;
  // The client gets the refusal, even when recording it fails.
  const record = audited.recorded ? recordFailure : recordRefusal;
  const recording = transactions.runWithoutCall((tx) => record(tx, audited, error.message), recordMsMax);
  await Promise.allSettled([recording]);
}
