import { auditLog, operations, users, type Db } from '@trunkline/db';
import { and, desc, eq, sql, type SQL } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { auditedColumns, failedStart } from './audited-operation.ts';

/** The reader: users see their own operations, administrators all. */
interface Viewer {
  readonly id: number;
  readonly admin: boolean;
}

const operationColumns = {
  id: operations.id,
  kind: sql<string>`${operations.kind}`,
  repositoryId: sql<number | null>`${operations.repositoryId}`,
  name: sql<string | null>`${operations.request}->>'name'`,
  state: operations.state,
  attempt: operations.attempt,
  progress: operations.progress,
  error: operations.error,
  user: users.username,
  createdAt: operations.createdAt,
  finishedAt: operations.finishedAt,
};

export type OperationRow = Awaited<ReturnType<typeof listOperations>>[number];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a client's text can be the id of an operation. */
export function isOperationId(id: string): boolean {
  return uuid.test(id);
}

function ownOf(viewer: Viewer, actorId: typeof operations.actorId | typeof auditLog.actorId): SQL | undefined {
  return viewer.admin ? undefined : eq(actorId, viewer.id);
}

export interface OperationFilter {
  readonly state: 'running' | 'done' | 'failed' | null;
  readonly actorId: number | null;
  readonly limit: number | null;
  /** Only operations begun before the one with this id. */
  readonly cursor: string | null;
}

/** The order of both tables, so that one cursor serves for both. */
const newestFirst = sql`created_at desc, id desc`;

function beganBefore(cursor: string): SQL {
  return sql`(select o.created_at, o.id from operations o where o.id = ${cursor}
    union all select a.at, a.request_id from audit_log a where a.request_id = ${cursor} limit 1)`;
}

/** Operations, and calls that failed before they began one: the newest first. */
export async function listOperations(db: Db, viewer: Viewer, filter: OperationFilter) {
  const { state, actorId, cursor, limit } = filter;
  const began = db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(
      and(
        ownOf(viewer, operations.actorId),
        state === null ? undefined : eq(operations.state, state),
        actorId === null ? undefined : eq(operations.actorId, actorId),
        cursor === null ? undefined : sql`(${operations.createdAt}, ${operations.id}) < ${beganBefore(cursor)}`,
      ),
    )
    .orderBy(desc(operations.createdAt), desc(operations.id));
  const failedAtOnce = db
    .select(auditedColumns)
    .from(auditLog)
    .where(
      and(
        failedStart,
        ownOf(viewer, auditLog.actorId),
        state === null || state === 'failed' ? undefined : sql`false`,
        actorId === null ? undefined : eq(auditLog.actorId, actorId),
        cursor === null ? undefined : sql`(${auditLog.at}, ${auditLog.requestId}) < ${beganBefore(cursor)}`,
      ),
    )
    .orderBy(desc(auditLog.at), desc(auditLog.requestId));
  if (limit === null) return unionAll(began, failedAtOnce).orderBy(newestFirst);
  return unionAll(began.limit(limit), failedAtOnce.limit(limit)).orderBy(newestFirst).limit(limit);
}

/** A call without an operation has ended when the audit log has it. */
async function findAudited(db: Db, viewer: Viewer, id: string): Promise<OperationRow | undefined> {
  const [row] = await db
    .select(auditedColumns)
    .from(auditLog)
    .where(and(eq(auditLog.requestId, id), ownOf(viewer, auditLog.actorId)));
  return row;
}

/** An operation by its id, if the reader may see it. */
export async function findOperation(db: Db, viewer: Viewer, id: string): Promise<OperationRow | undefined> {
  if (!isOperationId(id)) return undefined;
  const [row] = await db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(and(eq(operations.id, id), ownOf(viewer, operations.actorId)));
  return row ?? findAudited(db, viewer, id);
}

/** Asks the worker that runs an operation to undo it, unless it has ended or was cancelled before. */
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
    .where(eq(operations.id, id));
  return 'requested';
}
