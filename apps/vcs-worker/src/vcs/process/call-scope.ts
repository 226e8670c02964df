import { AsyncLocalStorage } from 'node:async_hooks';

/** How the children that one call starts, or an operation, depend on it. */
export interface CallScope {
  /** Ends the children when it aborts. */
  readonly signal?: AbortSignal;
  /** How long a child may wait for memory before it starts, in milliseconds; null when it starts in any case. */
  readonly memoryWaitMs: number | null;
}

/** A read holds a slot: it is answered "busy", and its gateway tries again. */
export const scopeOfRead = (signal: AbortSignal): CallScope => ({ signal, memoryWaitMs: 0 });

/** An operation has begun and cannot be sent again. */
export const scopeOfOperation: CallScope = { memoryWaitMs: 30_000 };

/**
 * An operation that holds a repository has waited for memory before: now others wait for it, and a change that has begun
 * to become visible has to end. Its children are small, or count as all others once they run.
 */
export const scopeOfHolder: CallScope = { memoryWaitMs: null };

/** Returns a signal that aborts when one of two does, of which either may be absent. */
export function anySignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

/** The caller of the read that is being run, among whom kept servers are shared fairly; absent while an operation runs. */
export const commandCaller = new AsyncLocalStorage<string>();
