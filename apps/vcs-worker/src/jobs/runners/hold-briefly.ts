import { ConflictError } from '@trunkline/contracts';
import { operations, repositories, type Transaction } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import type { ClaimedOperation, EndedOperation } from '../operations/claimed-operation.ts';
import { takeRepository, yieldRepository } from '../operations/exclusive-store.ts';
import { withWriteLock, type RunnerTools } from './runner-tools.ts';
import { onceFree, type TakingTools } from './taken-repository.ts';

export interface HoldingTools extends RunnerTools, TakingTools {
  /** Wakes calls that wait for the repository. */
  readonly announceEnd: (operation: EndedOperation) => void;
}

export const movingText = 'the repository moves to another storage';

/** Throws ConflictError for a repository that is not where it was, or that is being copied to another storage. */
async function requireStill(tx: Transaction, { id, repositoryId, epoch }: ClaimedOperation): Promise<void> {
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

/** Waits until no other operation needs the repository, and keeps all others from beginning while `act` runs. */
export async function holdRepository<T>(
  tools: HoldingTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const { transactions, worker, announceEnd } = tools;
  await onceFree(tools, operation, signal, async (tx) => {
    await requireStill(tx, operation);
    return takeRepository(tx, operation, worker);
  });
  try {
    return await act();
  } finally {
    await transactions.runWithoutCall((tx) => yieldRepository(tx, operation, worker));
    announceEnd(operation);
  }
}

/** Holds the repository for something brief that writes to it, under its write lock. */
export async function holdBriefly<T>(
  tools: HoldingTools,
  operation: ClaimedOperation,
  tree: Parameters<typeof withWriteLock>[2],
  { signal, act }: { readonly signal: AbortSignal; readonly act: (path: string) => Promise<T> },
): Promise<T> {
  return holdRepository(tools, operation, signal, () => withWriteLock(tools, operation, tree, act));
}
