import { ConflictError } from '@trunkline/contracts';
import { isUniqueViolation, operations, prepared, repositories, storages, type Db } from '@trunkline/db';
import { recordEnd, repeatedCommand } from '../../domain/audit/audit-store.ts';
import { and, eq, gt, gte, inArray, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import type { ClaimedOperation, OperationKind } from './claimed-operation.ts';
import { endHeld, isRunning, leaseEnd, lockHeld, selectHeld, touchHeld } from './lease-store.ts';
import { requireWritable } from '../../storage/require-storage.ts';
import { removedWithTimes, type Batch, type Removed } from '../sweeps/remove-in-batches.ts';

/** Error of a fenced attempt: another worker has taken its operation over. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** Error for a repository on which another operation runs. */
export class RepositoryBusyError extends Error {
  override readonly name = 'RepositoryBusyError';
  readonly repositoryId: number;
  readonly clientText: string;

  constructor({
    repositoryId,
    sourceRepositoryId,
    busyText,
  }: Pick<NewOperation, 'repositoryId' | 'sourceRepositoryId' | 'busyText'>) {
    super('another operation runs on the repository');
    this.repositoryId = sourceRepositoryId ?? repositoryId;
    this.clientText = busyText;
  }
}

export interface NewOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly repositoryId: number;
  /** Id of a fork's source. */
  readonly sourceRepositoryId?: number;
  /** Storage to which a move copies the repository. */
  readonly targetStorageId?: string;
  /** False for a move, a maintenance and a verification, which begin beside other operations on their repository. */
  readonly exclusive?: boolean;
  /** Null for what the service does by itself. */
  readonly actorId: number | null;
  readonly request: Readonly<Record<string, unknown>>;
  /** The client's text when the repository is still busy at the time limit. */
  readonly busyText: string;
}

/** Columns of a claimed operation. */
export const claimedColumns = {
  id: operations.id,
  kind: operations.kind,
  repositoryId: operations.repositoryId,
  sourceRepositoryId: operations.sourceRepositoryId,
  storageId: operations.storageId,
  epoch: operations.epoch,
  targetStorageId: operations.targetStorageId,
  exclusive: operations.exclusive,
  attempt: operations.attempt,
  handovers: operations.handovers,
  cancelRequestedAt: operations.cancelRequestedAt,
  request: operations.request,
  /** Whether operators have given up the storage, so that no bytes can be reached. */
  isLost: sql<boolean>`coalesce(
    (select s.state = 'lost' from ${storages} s where s.id = ${operations.storageId}), false)`.as('is_lost'),
};

const readersOf = prepared((db) =>
  db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        isRunning,
        sql`${operations.exclusive}`,
        or(
          eq(operations.sourceRepositoryId, sql.placeholder('repositoryId')),
          sql`${operations.repositoryId} = ${sql.placeholder('sourceRepositoryId')}::int`,
        ),
      ),
    )
    .limit(1)
    .prepare('readers_of'),
);

/** Returns whether a fork of the repository is running, or another operation on the source from which it is made. */
export async function hasReaders(tx: Db, repositoryId: number, sourceRepositoryId?: number): Promise<boolean> {
  const ids = { repositoryId, sourceRepositoryId: sourceRepositoryId ?? null };
  return (await readersOf(tx).execute(ids)).length > 0;
}

const { storageId, epoch } = repositories;
const byId = eq(repositories.id, sql.placeholder('id'));
const lockStored = prepared((db) =>
  db.select({ storageId, epoch }).from(repositories).where(byId).for('update').prepare('lock_stored'),
);
const lockSource = prepared((db) =>
  db.select({ storageId, epoch }).from(repositories).where(byId).for('share').prepare('lock_source'),
);

/**
 * Throws RepositoryBusyError when a fork and an operation that is no fork would run on one source at once. Both sides
 * lock the source's row, so that two concurrent begins see each other. Returns where the operation runs.
 */
async function requireFree(tx: Db, operation: NewOperation): Promise<{ storageId: string; epoch: number }> {
  const { repositoryId, sourceRepositoryId, targetStorageId, exclusive = true } = operation;
  const [stored] = await lockStored(tx).execute({ id: repositoryId });
  if (!stored) throw new Error(`operation ${operation.id} has no repository`);
  const [source] = sourceRepositoryId === undefined ? [] : await lockSource(tx).execute({ id: sourceRepositoryId });
  if (exclusive && (await hasReaders(tx, repositoryId, sourceRepositoryId))) throw new RepositoryBusyError(operation);
  // A fork for another storage is built beside its source.
  return source && targetStorageId !== undefined ? { ...stored, storageId: source.storageId } : stored;
}

/**
 * Inserts an operation whose lease this worker holds. Throws RepositoryBusyError, UnavailableError for a known id, or
 * the client's error for a storage that takes no writes.
 */
export async function insertClaimed(
  db: Db,
  operation: NewOperation,
  worker: string,
  leaseSeconds: number,
): Promise<ClaimedOperation> {
  const stored = await requireFree(db, operation);
  await requireWritable(db, stored.storageId, { deletes: operation.kind === 'delete' });
  const { busyText: _busyText, ...row } = operation;
  const claim = { worker, attempt: 1, leaseUntil: leaseEnd(leaseSeconds), startedAt: sql`now()` };
  const claimedAt = performance.now();
  try {
    const [inserted] = await db
      .insert(operations)
      .values({ ...row, ...stored, state: 'running', ...claim })
      .returning(claimedColumns);
    if (!inserted) throw new Error('no operation was inserted');
    return { ...inserted, claimedAt };
  } catch (error) {
    if (isUniqueViolation(error, 'operations_one_running')) throw new RepositoryBusyError(operation);
    if (isUniqueViolation(error, 'operations_one_move')) {
      throw new ConflictError(`Repository \`${String(row.request['name'])}\` is already being moved`);
    }
    if (isUniqueViolation(error, 'operations_one_maintenance')) throw new RepositoryBusyError(operation);
    if (isUniqueViolation(error, 'operations_pkey')) throw repeatedCommand();
    throw error;
  }
}

function leaseHeld({ id, attempt }: ClaimedOperation, worker: string) {
  return and(
    eq(operations.id, id),
    eq(operations.worker, worker),
    eq(operations.attempt, attempt),
    eq(operations.state, 'running'),
    gt(operations.leaseUntil, sql`now()`),
  );
}

export function fencedError({ id, attempt }: ClaimedOperation): FencedError {
  return new FencedError(`operation ${id} attempt ${attempt}`);
}

/**
 * Claims the repair of a fork's source, whose row is locked; returns false when another running fork has claimed it.
 * The operation records the claim for a worker that takes over. Throws FencedError when this attempt is fenced.
 */
export async function claimRepair(tx: Db, operation: ClaimedOperation, worker: string): Promise<boolean> {
  const repairs = sql`${operations.request} ? 'repairsSource'`;
  const ofSource = eq(operations.sourceRepositoryId, operation.sourceRepositoryId ?? 0);
  const [other] = await tx
    .select({ id: operations.id })
    .from(operations)
    .where(and(ofSource, eq(operations.state, 'running'), ne(operations.id, operation.id), repairs))
    .limit(1);
  if (other) return false;
  const claimed = await tx
    .update(operations)
    .set({ request: sql`${operations.request} || '{"repairsSource":true}'::jsonb` })
    .where(leaseHeld(operation, worker))
    .returning({ id: operations.id });
  if (claimed.length === 0) throw fencedError(operation);
  return true;
}

/** Member of the request of a deletion that does not run before those of the repository's forks have ended. */
export const afterForks = { afterForks: true } as const;

/** Member of an operation's request until the operation may have touched bytes of its repository. */
export const untouched = { touched: false } as const;

/** Records that an operation is about to touch bytes; throws FencedError when the operation was taken over. */
export async function recordTouched(db: Db, operation: ClaimedOperation, worker: string): Promise<void> {
  const { id, attempt } = operation;
  const recorded = await touchHeld(db).execute({ id, attempt, worker });
  if (recorded.length === 0) throw fencedError(operation);
}

/** Returns the SQL condition that an operation may have touched bytes; true when its request does not show it. */
export function hasTouched({ id }: Pick<ClaimedOperation, 'id'>): SQL {
  const touched = sql`select ${operations.request} ->> 'touched' from ${operations} where ${operations.id} = ${id}`;
  return sql`(${touched}) is distinct from 'false'`;
}

/** Throws FencedError when the operation was taken over; waits for no lock. */
export async function requireHeld(tx: Db, operation: ClaimedOperation, worker: string): Promise<void> {
  const { id, attempt } = operation;
  const rows = await selectHeld(tx).execute({ id, attempt, worker });
  if (rows.length === 0) throw fencedError(operation);
}

/** Throws FencedError when the operation was taken over, and prevents a takeover until the transaction ends. */
export async function requireLease(tx: Db, operation: ClaimedOperation, worker: string): Promise<void> {
  const { id, attempt } = operation;
  const rows = await lockHeld(tx).execute({ id, attempt, worker });
  if (rows.length === 0) throw fencedError(operation);
}

/** Ends an operation inside the transaction that makes its effect visible; throws FencedError for a fenced attempt. */
export async function endOperation(
  db: Db,
  operation: ClaimedOperation,
  worker: string,
  end: { state: 'done' } | { state: 'failed'; error: string },
): Promise<void> {
  const { id, attempt } = operation;
  const error = end.state === 'failed' ? end.error : null;
  const ended = await endHeld(db).execute({ id, attempt, worker, state: end.state, error });
  if (ended.length === 0) throw fencedError(operation);
  await recordEnd(db, id, error === null ? 'succeeded' : 'failed', error);
}

/**
 * Begins another attempt at an operation that this worker holds. Throws FencedError when the operation was taken over
 * or has ended.
 */
export async function beginAnew(
  db: Db,
  operation: ClaimedOperation,
  worker: string,
  leaseSeconds: number,
): Promise<ClaimedOperation> {
  const claimedAt = performance.now();
  const [begun] = await db
    .update(operations)
    .set({ attempt: sql`${operations.attempt} + 1`, progress: null, leaseUntil: leaseEnd(leaseSeconds) })
    .where(leaseHeld(operation, worker))
    .returning(claimedColumns);
  if (!begun) throw fencedError(operation);
  return { ...begun, claimedAt };
}

/** Removes a batch of the operations that ended more than `days` days ago, by the times of their ends. */
export async function removeEnded(db: Db, days: number, { from, rowsMax }: Batch<Date>): Promise<Removed<Date>> {
  const { finishedAt } = operations;
  // As in `claimOrphans`, the sub-select must run once.
  const old = db.$with('old').as(
    db
      .select({ id: operations.id })
      .from(operations)
      .where(and(lt(finishedAt, sql`now() - make_interval(days => ${days})`), from ? gte(finishedAt, from) : undefined))
      .orderBy(finishedAt)
      .limit(rowsMax)
      .for('update', { skipLocked: true }),
  );
  const removed = await db
    .with(old)
    .delete(operations)
    .where(inArray(operations.id, db.select({ id: old.id }).from(old)))
    .returning({ finishedAt });
  return removedWithTimes(removed.flatMap((row) => row.finishedAt ?? []));
}
