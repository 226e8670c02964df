import { setTimeout as wait } from 'node:timers/promises';
import { OutcomeUnknownError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { VcsError } from '../vcs/vcs-error.ts';
import type { ClaimedOperation } from './claimed-operation.ts';

/** The delay between retries while the database is unreachable. */
const databaseAwayMs = 250;

/**
 * Whether a run failed because the database was lost. A VcsError may have a cause with the same code and does not
 * count.
 */
export function hasLostDatabase(error: unknown): boolean {
  return databaseFailure(error) !== undefined && !(error instanceof VcsError);
}

/**
 * Begins another attempt as soon as the database answers; null when it does not in time, or the signal fires. Throws
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
