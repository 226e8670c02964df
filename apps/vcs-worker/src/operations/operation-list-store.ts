import { auditLog, operations, users, type Db } from '@trunkline/db';
import { and, desc, eq, sql, type SQL } from 'drizzle-orm';

/** Who may see an operation: his own; an administrator everybody's. */
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

function ownOf(viewer: Viewer): SQL | undefined {
  return viewer.admin ? undefined : eq(operations.actorId, viewer.id);
}

export interface OperationFilter {
  readonly state: 'running' | 'done' | 'failed' | null;
  readonly actorId: number | null;
  readonly limit: number | null;
  /** Only operations begun before the one with this id. */
  readonly cursor: string | null;
}

/** What the journal has, the newest first. */
export async function listOperations(db: Db, viewer: Viewer, filter: OperationFilter) {
  const { state, actorId, cursor } = filter;
  const before = sql`(${operations.createdAt}, ${operations.id}) <
    (select o.created_at, o.id from operations o where o.id = ${cursor})`;
  const rows = db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(
      and(
        ownOf(viewer),
        state === null ? undefined : eq(operations.state, state),
        actorId === null ? undefined : eq(operations.actorId, actorId),
        cursor === null ? undefined : before,
      ),
    )
    .orderBy(desc(operations.createdAt), desc(operations.id));
  return filter.limit === null ? rows : rows.limit(filter.limit);
}

/** A call that began no operation has ended when the audit log knows it. */
async function findAudited(db: Db, viewer: Viewer, id: string): Promise<OperationRow | undefined> {
  const [row] = await db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.requestId, id), viewer.admin ? undefined : eq(auditLog.actorId, viewer.id)));
  if (!row) return undefined;
  return {
    id: row.requestId,
    kind: row.method,
    repositoryId: null,
    name: null,
    state: row.outcome === 'succeeded' ? 'done' : row.outcome,
    attempt: 1,
    progress: null,
    error: row.error,
    user: row.actor,
    createdAt: row.at,
    finishedAt: row.at,
  };
}

/** An operation by the id that its client was told, if the viewer may see it. */
export async function findOperation(db: Db, viewer: Viewer, id: string): Promise<OperationRow | undefined> {
  if (!isOperationId(id)) return undefined;
  const [row] = await db
    .select(operationColumns)
    .from(operations)
    .leftJoin(users, eq(users.id, operations.actorId))
    .where(and(eq(operations.id, id), ownOf(viewer)));
  return row ?? findAudited(db, viewer, id);
}

/** Asks the worker that runs an operation to undo it, unless it has ended or somebody has asked before. */
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
