import { setTimeout as wait } from 'node:timers/promises';
import { OutcomeUnknownError, RpcError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { ClaimedOperation } from './claimed-operation.ts';

/** Delay between retries while the database cannot be reached, in milliseconds. */
const databaseAwayMs = 250;

/**
 * Returns whether a run failed because the database was lost. The errors of tools and of other workers do not count,
 * although their causes may have the same code.
 */
export function hasLostDatabase(error: unknown): boolean {
  return databaseFailure(error) !== undefined && !(error instanceof VcsError) && !(error instanceof RpcError);
}

/**
 * Begins another attempt as soon as the database answers; returns null when `msMax` is over or the signal fires before.
 * Throws OutcomeUnknownError when the operation has ended or belongs to another worker.
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
