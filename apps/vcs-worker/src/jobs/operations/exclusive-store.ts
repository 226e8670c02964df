import { ConflictError } from '@trunkline/contracts';
import { operations, repositories, type Db } from '@trunkline/db';
import { and, eq, ne } from 'drizzle-orm';
import type { ClaimedOperation } from './claimed-operation.ts';
import { hasReaders, requireLease } from './operation-store.ts';

/**
 * Makes a running operation exclusive on its repository; returns false while another one is, or while a fork reads from
 * the repository. Throws FencedError when the operation was taken over.
 */
export async function takeRepository(tx: Db, operation: ClaimedOperation, worker: string): Promise<boolean> {
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
  // Whoever begins an operation on the repository, or a fork of it, locks this row too.
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

/** Lets other operations run on the repository again; throws FencedError when the operation was taken over. */
export async function yieldRepository(tx: Db, operation: ClaimedOperation, worker: string): Promise<void> {
  await requireLease(tx, operation, worker);
  await tx.update(operations).set({ exclusive: false }).where(eq(operations.id, operation.id));
}
