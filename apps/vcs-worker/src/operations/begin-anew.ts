import { setTimeout as wait } from 'node:timers/promises';
import { OutcomeUnknownError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { VcsError } from '../vcs/vcs-error.ts';
import type { ClaimedOperation } from './claimed-operation.ts';

/** Between tries while the database is away. */
const databaseAwayMs = 250;

/** Whether a run lost the database. What a tool did not get from a remote may have a cause with the same code. */
export function hasLostDatabase(error: unknown): boolean {
  return databaseFailure(error) !== undefined && !(error instanceof VcsError);
}

/**
 * Another attempt, as soon as the database is there; null when it stays away for so long, or the signal fires. Throws
 * OutcomeUnknownError when the operation has ended or belongs to another worker.
 */
export async function beginAnew(
  operation: ClaimedOperation,
  begin: (operation: ClaimedOperation) => Promise<ClaimedOperation>,
  { msMax, signal }: { readonly msMax: number; readonly signal: AbortSignal },
): Promise<ClaimedOperation | null> {
  const until = performance.now() + msMax;
  while (!signal.aborted && performance.now() < until) {
    try {
      return await begin(operation);
    } catch (error) {
      if (!hasLostDatabase(error)) throw OutcomeUnknownError.of(operation.id, error);
    }
    await wait(databaseAwayMs, undefined, { signal }).catch(() => {});
  }
  return null;
}
