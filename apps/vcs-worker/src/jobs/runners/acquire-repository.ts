import { setTimeout as wait } from 'node:timers/promises';
import { ConflictError } from '@trunkline/contracts';
import { type Db, operations, repositories, type Transaction } from '@trunkline/db';
import { and, eq, ne } from 'drizzle-orm';
import type { ClaimedOperation, EndedOperation } from '../operations/claimed-operation.ts';
import { hasReaders, requireLease } from '../operations/operation-store.ts';
import type { WaitForOperationEnd } from '../operations/operation-end.ts';
import { type RunnerTools, withWriteLock } from './runner-tools.ts';

/**
 * Makes a running operation exclusive on its repository; returns false while another one is, or while a fork reads from
 * the repository. Throws FencedError when the operation was taken over.
 */
export async function tryAcquire(tx: Db, operation: ClaimedOperation, worker: string): Promise<boolean> {
  if (!(await isFree(tx, operation, worker))) return false;
  await tx.update(operations).set({ exclusive: true }).where(eq(operations.id, operation.id));
  return true;
}

/**
 * Returns whether no other exclusive operation and no fork needs the repository, and keeps others from beginning until
 * the transaction ends. Throws FencedError when the operation was taken over.
 */
export async function isFree(tx: Db, operation: ClaimedOperation, worker: string): Promise<boolean> {
  const { id, repositoryId } = operation;
  // A call that begins an operation on the repository, or a fork of it, locks this row too.
  const ofRepository = eq(repositories.id, repositoryId);
  const [found] = await tx.select({ id: repositories.id }).from(repositories).where(ofRepository).for('update');
  await requireLease(tx, operation, worker);
  if (!found) throw new ConflictError('the repository was deleted');
  const onRepository = and(eq(operations.repositoryId, repositoryId), ne(operations.id, id));
  const [other] = await tx
    .select({ id: operations.id })
    .from(operations)
    .where(and(onRepository, eq(operations.state, 'running'), eq(operations.exclusive, true)))
    .limit(1);
  return !other && !(await hasReaders(tx, repositoryId));
}

/** Releases a repository, so that other operations run on it again; throws FencedError when the operation was taken over. */
export async function releaseRepository(tx: Db, operation: ClaimedOperation, worker: string): Promise<void> {
  await requireLease(tx, operation, worker);
  await tx.update(operations).set({ exclusive: false }).where(eq(operations.id, operation.id));
}

export interface AcquiringTools extends Pick<RunnerTools, 'transactions' | 'worker'> {
  readonly waitForOperationEnd: WaitForOperationEnd;
}

const msMax = 600_000;
/** Notices of ends may come early, and a worker that stops waits for none. */
const pauseMs = 100;

/** Waits, in no transaction, until no other operation needs the repository, and acquires it for the rest of the attempt. */
export async function acquireRepository(
  tools: AcquiringTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
): Promise<void> {
  await retryUntilFree(tools, operation, signal, (tx) => tryAcquire(tx, operation, tools.worker));
}

/** Runs a transaction until it succeeds, and waits in between until the repository may be free. */
export async function retryUntilFree(
  { transactions, waitForOperationEnd }: AcquiringTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
  attempt: (tx: Transaction) => Promise<boolean>,
): Promise<void> {
  const until = performance.now() + msMax;
  for (;;) {
    signal.throwIfAborted();
    if (await transactions.runWithoutCall(attempt)) return;
    const msLeft = until - performance.now();
    if (msLeft <= 0) throw new ConflictError('other operations on the repository did not end in time');
    await waitForOperationEnd({ kind: 'repository', id: operation.repositoryId }, msLeft, signal);
    await wait(pauseMs, undefined, { signal });
  }
}

export interface AcquiredTools extends RunnerTools, AcquiringTools {
  /** Wakes calls that wait for the repository. */
  readonly announceEnd: (operation: EndedOperation) => void;
}

export const movingText = 'the repository moves to another storage';

/** Throws ConflictError for a repository that is not where it was, or that is being copied to another storage. */
async function requireInPlace(tx: Transaction, { id, repositoryId, epoch }: ClaimedOperation): Promise<void> {
  const ofRepository = eq(repositories.id, repositoryId);
  const [row] = await tx
    .select({ epoch: repositories.epoch, state: repositories.state })
    .from(repositories)
    .where(ofRepository);
  if (row?.state !== 'ready') throw new ConflictError('the repository was deleted');
  const isMove = and(eq(operations.state, 'running'), eq(operations.kind, 'move'));
  const [move] = await tx
    .select({ id: operations.id })
    .from(operations)
    .where(and(eq(operations.repositoryId, repositoryId), isMove));
  if ((move && move.id !== id) || row.epoch !== epoch) throw new ConflictError(movingText);
}

/** Waits until no other operation needs the repository, acquires it, and releases it when `act` has ended. */
export async function withRepositoryAcquired<T>(
  tools: AcquiredTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const { transactions, worker, announceEnd } = tools;
  await retryUntilFree(tools, operation, signal, async (tx) => {
    await requireInPlace(tx, operation);
    return tryAcquire(tx, operation, worker);
  });
  try {
    return await act();
  } finally {
    await transactions.runWithoutCall((tx) => releaseRepository(tx, operation, worker));
    announceEnd(operation);
  }
}

/** Acquires the repository for something brief that writes to it under its write lock. */
export async function writeAcquired<T>(
  tools: AcquiredTools,
  operation: ClaimedOperation,
  tree: Parameters<typeof withWriteLock>[2],
  { signal, act }: { readonly signal: AbortSignal; readonly act: (path: string) => Promise<T> },
): Promise<T> {
  return withRepositoryAcquired(tools, operation, signal, () => withWriteLock(tools, operation, tree, act));
}
