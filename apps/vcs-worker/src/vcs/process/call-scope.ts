/** How the children that one call starts, or an operation, depend on it. */
export interface CallScope {
  /** Ends the children when it aborts. */
  readonly signal?: AbortSignal;
  /** How long a child may wait for memory before it starts, in milliseconds. */
  readonly memoryWaitMs: number;
}

/** A read holds a slot: it is answered "busy", and its gateway tries again. */
export const scopeOfRead = (signal: AbortSignal): CallScope => ({ signal, memoryWaitMs: 0 });

/** An operation has begun and cannot be sent again. */
export const scopeOfOperation: CallScope = { memoryWaitMs: 30_000 };
