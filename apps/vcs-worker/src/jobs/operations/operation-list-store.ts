import type { PulledRecord } from '@trunkline/contracts';
import { auditLog, type Db, failedStarts, type OperationProgress, operations, storages, users } from '@trunkline/db';
import { and, desc, eq, or, sql, type SQL } from 'drizzle-orm';
import { type AnyPgColumn, unionAll } from 'drizzle-orm/pg-core';
import { recordedName } from '../../domain/audit/audit-list-store.ts';
import { findCountedRefusal } from '../../domain/audit/refusal-store.ts';
import { isUuid } from '../../is-uuid.ts';

/** Columns that show a row of the audit log as an operation. */
export const auditedColumns = {
  id: auditLog.requestId,
  kind: sql<string>`${auditLog.method}`,
  repositoryId: sql<number | null>`null::integer`,
  // A `repoid` of digits alone is an id, not a name.
  name: sql<string | null>`coalesce(${auditLog.args} ->> 'fork_name', ${auditLog.args} ->> 'repo_name',
    substring(${auditLog.args} ->> 'repoid' from '^.*[^0-9].*$'))`,
  targetStorage: sql<string | null>`null::text`,
  state: sql<
    typeof operations.$inferSelect.state
  >`case ${auditLog.outcome} when 'succeeded' then 'done' else ${auditLog.outcome} end`,
  attempt: sql<number>`1`,
  progress: sql<OperationProgress | null>`null::jsonb`,
  error: auditLog.error,
  pulled: sql<PulledRecord | null>`null::jsonb`,
  user: sql<string | null>`${auditLog.actor}`,
  createdAt: auditLog.at,
  finishedAt: sql<Date | null>`${auditLog.at}`.mapWith(auditLog.at),
};

/** The reader: users see their own operations, administrators all. */
interface CallerRights {
  readonly id: number;
  readonly admin: boolean;
}

const operationColumns = {
  id: operations.id,
  kind: sql<string>`${operations.kind}`,
  repositoryId: sql<number | null>`${operations.repositoryId}`,
  name: sql<string | null>`${operations.request}->>'name'`,
  targetStorage: sql<string | null>`(select s.name from ${storages} s where s.id = ${operations.targetStorageId})`,
  state: operations.state,
  attempt: operations.attempt,
  progress: operations.progress,
  error: operations.error,
  pulled: sql<PulledRecord | null>`${operations.request}->'pulled'`,
  user: sql<string | null>`coalesce(${users.username}, ${recordedName(operations.actorId)})`,
  createdAt: operations.createdAt,
  finishedAt: operations.finishedAt,
};

export type OperationRow = Awaited<ReturnType<typeof listOperations>>[number];

/** Returns whether a client's text can be the id of an operation. */
export function isOperationId(id: string): boolean {
  return isUuid(id);
}

function ownOf(caller: CallerRights, actorId: AnyPgColumn): SQL | undefined {
  return caller.admin ? undefined : eq(actorId, caller.id);
}

export interface OperationFilter {
  readonly state: 'running' | 'done' | 'failed' | null;
  readonly actorId: number | null;
  readonly limit: number;
  /** Only operations begun before the one with this id. */
  readonly cursor: string | null;
}

/** The order of both tables, so that one cursor serves for both. */
const newestFirst = sql`created_at desc, id desc`;

/** Returns creation time and id of the operation or call at the cursor, to compare with those of a row. */
function beganBefore(cursor: string): SQL {
  return sql`(select o.created_at, o.id from operations o where o.id = ${cursor}
    union all select a.at, a.request_id from audit_log a where a.request_id = ${cursor} limit 1)`;
}

/** Lists operations, and calls that failed before they began one: the newest first. */
export async function listOperations(db: Db, caller: CallerRights, filter: OperationFilter) {
  const { state, actorId, cursor, limit } = filter;
  const began = db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(
      and(
        ownOf(caller, operations.actorId),
        state === null ? undefined : eq(operations.state, state),
        actorId === null ? undefined : eq(operations.actorId, actorId),
        cursor === null ? undefined : sql`(${operations.createdAt}, ${operations.id}) < ${beganBefore(cursor)}`,
      ),
    )
    .orderBy(desc(operations.createdAt), desc(operations.id));
  const starts = db
    .select({ requestId: failedStarts.requestId })
    .from(failedStarts)
    .where(
      and(
        ownOf(caller, failedStarts.actorId),
        state === null || state === 'failed' ? undefined : sql`false`,
        actorId === null ? undefined : eq(failedStarts.actorId, actorId),
        cursor === null ? undefined : sql`(${failedStarts.at}, ${failedStarts.requestId}) < ${beganBefore(cursor)}`,
      ),
    )
    .orderBy(desc(failedStarts.at), desc(failedStarts.requestId))
    .limit(limit)
    .as('starts');
  // Has the name of the table, so that the columns fit, and a limit, so that each start reads its entry by index.
  const entry = db.select().from(auditLog).where(eq(auditLog.requestId, starts.requestId)).limit(1).as('audit_log');
  const failedAtOnce = db
    .select(auditedColumns)
    .from(starts)
    .innerJoinLateral(entry, sql`true`);
  return unionAll(began.limit(limit), failedAtOnce).orderBy(newestFirst).limit(limit);
}

/** Finds a call without an operation of its own: such a call has ended when the audit log has it. */
async function findAudited(db: Db, caller: CallerRights, id: string): Promise<OperationRow | undefined> {
  const [row] = await db
    .select(auditedColumns)
    .from(auditLog)
    .where(and(eq(auditLog.requestId, id), ownOf(caller, auditLog.actorId)));
  return row;
}

/** Finds a refused call that the audit log only counts. */
async function findRefused(db: Db, caller: CallerRights, id: string): Promise<OperationRow | undefined> {
  const row = await findCountedRefusal(db, caller, id);
  return (
    row && {
      ...row,
      repositoryId: null,
      name: null,
      targetStorage: null,
      state: 'failed',
      attempt: 1,
      progress: null,
      pulled: null,
      finishedAt: row.createdAt,
    }
  );
}

/** Finds an operation, or a call without one, by its id; undefined also when the reader may not see it. */
export async function findOperation(db: Db, caller: CallerRights, id: string): Promise<OperationRow | undefined> {
  if (!isOperationId(id)) return undefined;
  const [row] = await db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(and(eq(operations.id, id), ownOf(caller, operations.actorId)));
  return row ?? (await findRefused(db, caller, id)) ?? findAudited(db, caller, id);
}

/**
 * Records the request to cancel an operation, and with it the others of a family that moves by the same call; the worker
 * that runs them reads it with a heartbeat.
 */
export async function requestCancel(db: Db, id: string): Promise<'requested' | 'requested before' | 'ended'> {
  const [row] = await db
    .select({ cancelRequestedAt: operations.cancelRequestedAt })
    .from(operations)
    .where(and(eq(operations.id, id), eq(operations.state, 'running')))
    .for('update');
  if (!row) return 'ended';
  if (row.cancelRequestedAt) return 'requested before';
  await db
    .update(operations)
    .set({ cancelRequestedAt: sql`now()` })
    .where(
      and(eq(operations.state, 'running'), or(eq(operations.id, id), sql`${operations.request}->>'ofFamily' = ${id}`)),
    );
  return 'requested';
}
