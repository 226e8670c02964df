import { setTimeout as wait } from 'node:timers/promises';
import { ConflictError } from '@trunkline/contracts';
import type { Transaction } from '@trunkline/db';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { takeRepository } from '../operations/exclusive-store.ts';
import type { WaitForOperationEnd } from '../operations/operation-ended-waiter.ts';
import type { RunnerTools } from './runner-tools.ts';

export interface TakingTools extends Pick<RunnerTools, 'transactions' | 'worker'> {
  readonly waitForOperationEnd: WaitForOperationEnd;
}

const msMax = 600_000;
/** Notices of ends may come early, and a worker that stops waits for none. */
const pauseMs = 100;

/** Waits, in no transaction, until no other operation needs the repository, and makes this one exclusive on it. */
export async function takenRepository(
  tools: TakingTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
): Promise<void> {
  await onceFree(tools, operation, signal, (tx) => takeRepository(tx, operation, tools.worker));
}

/** Runs a transaction until it succeeds, and waits in between until the repository may be free. */
export async function onceFree(
  { transactions, waitForOperationEnd }: TakingTools,
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
