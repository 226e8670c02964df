const firstBusyMs = 20;
const busyMsMax = 320;

/** Returns the delay in milliseconds before a retry after a busy answer: exponential in `attempt`, with jitter. */
export function busyWaitMs(attempt: number): number {
  const limit = Math.min(busyMsMax, firstBusyMs * 2 ** Math.min(attempt, 10));
  return limit / 2 + Math.random() * (limit / 2);
}

/**
 * Returns the delay in milliseconds before the one retry of a request that had no responders: a worker that restarts is
 * back either at once or not soon.
 */
export function noRespondersWaitMs(): number {
  return 10 + Math.random() * 20;
}
