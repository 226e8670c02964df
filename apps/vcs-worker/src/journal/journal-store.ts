import { isUniqueViolation, operations, type Executor as DbExecutor } from '@trunkline/db';
import { and, eq, gt, inArray, lt, or, sql } from 'drizzle-orm';
import type { ClaimedOperation, OperationKind } from './claimed-operation.ts';

/** This attempt no longer holds its operation: another worker has taken it over. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** Another operation runs on the repository. */
export class RepositoryBusyError extends Error {
  override readonly name = 'RepositoryBusyError';
  readonly clientText: string;

  constructor(clientText: string) {
    super('another operation runs on the repository');
    this.clientText = clientText;
  }
}

export interface NewOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly repositoryId: number;
  readonly actorId: number;
  readonly request: Readonly<Record<string, unknown>>;
  /** What the client hears when the repository stays busy until his time is up. */
  readonly busyText: string;
}

const columns = {
  id: operations.id,
  kind: operations.kind,
  repositoryId: operations.repositoryId,
  attempt: operations.attempt,
  request: operations.request,
};

// Not `now()`: that is when the transaction began, which may have waited since.
const leaseEnd = (leaseSeconds: number) => sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/** Inserts a row that this worker already holds. */
export async function insertClaimed(
  executor: DbExecutor,
  { busyText, ...row }: NewOperation,
  worker: string,
  leaseSeconds: number,
): Promise<ClaimedOperation> {
  try {
    const [inserted] = await executor
      .insert(operations)
      .values({
        ...row,
        state: 'running',
        worker,
        attempt: 1,
        leaseUntil: leaseEnd(leaseSeconds),
        startedAt: sql`now()`,
      })
      .returning(columns);
    if (!inserted) throw new Error('the journal took no row');
    return inserted;
  } catch (error) {
    if (isUniqueViolation(error, 'operations_one_running')) throw new RepositoryBusyError(busyText);
    throw error;
  }
}

/** Ends an operation inside the transaction that makes its effect visible; throws FencedError when it was taken over. */
export async function endOperation(
  executor: DbExecutor,
  operation: ClaimedOperation,
  worker: string,
  end: { state: 'done' } | { state: 'failed'; error: string },
): Promise<void> {
  const held = and(
    eq(operations.id, operation.id),
    eq(operations.worker, worker),
    eq(operations.attempt, operation.attempt),
    eq(operations.state, 'running'),
  );
  const ended = await executor
    .update(operations)
    .set({ ...end, finishedAt: sql`now()`, leaseUntil: null })
    .where(and(held, gt(operations.leaseUntil, sql`now()`)))
    .returning({ id: operations.id });
  if (ended.length === 0) throw new FencedError(`operation ${operation.id} attempt ${operation.attempt}`);
}

/** Extends the leases of what this worker runs; answers which of them it still holds. */
export async function extendLeases(
  executor: DbExecutor,
  ids: readonly string[],
  worker: string,
  leaseSeconds: number,
): Promise<string[]> {
  const held = await executor
    .update(operations)
    .set({ leaseUntil: leaseEnd(leaseSeconds) })
    .where(and(inArray(operations.id, [...ids]), eq(operations.worker, worker), eq(operations.state, 'running')))
    .returning({ id: operations.id });
  return held.map(({ id }) => id);
}

/** Lets go of operations so that another worker takes them at once. */
export async function releaseLeases(executor: DbExecutor, ids: readonly string[], worker: string): Promise<void> {
  await executor
    .update(operations)
    .set({ leaseUntil: sql`now()` })
    .where(and(inArray(operations.id, [...ids]), eq(operations.worker, worker), eq(operations.state, 'running')));
}

/** Takes over operations whose worker is gone, and queued ones of repositories where none runs. */
export async function claimOrphans(
  executor: DbExecutor,
  worker: string,
  leaseSeconds: number,
  limit: number,
): Promise<ClaimedOperation[]> {
  const free = executor
    .select({ id: operations.id })
    .from(operations)
    .where(
      or(
        and(eq(operations.state, 'running'), lt(operations.leaseUntil, sql`now()`)),
        and(
          eq(operations.state, 'queued'),
          sql`not exists (select 1 from operations other where other.repository_id = ${operations.repositoryId} and other.state = 'running')`,
        ),
      ),
    )
    .orderBy(operations.createdAt)
    .limit(limit)
    .for('update', { skipLocked: true });
  return executor
    .update(operations)
    .set({
      state: 'running',
      worker,
      attempt: sql`${operations.attempt} + 1`,
      leaseUntil: leaseEnd(leaseSeconds),
      startedAt: sql`coalesce(${operations.startedAt}, now())`,
    })
    .where(inArray(operations.id, free))
    .returning(columns);
}

/** Which of these operations nobody runs: what they staged may go. */
export async function notRunning(executor: DbExecutor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const running = await executor
    .select({ id: operations.id })
    .from(operations)
    .where(and(inArray(operations.id, [...ids]), inArray(operations.state, ['running', 'queued'])));
  const alive = new Set(running.map(({ id }) => id));
  return ids.filter((id) => !alive.has(id));
}
