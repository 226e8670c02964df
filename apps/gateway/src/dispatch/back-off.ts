const firstBusyMs = 20;
const busyMsMax = 320;

/** The delay after the n-th busy answer: exponential, with jitter. */
export function busyWaitMs(attempt: number): number {
  const limit = Math.min(busyMsMax, firstBusyMs * 2 ** Math.min(attempt, 10));
  return limit / 2 + Math.random() * (limit / 2);
}

/** The delay before the one retry without responders: a worker that restarts is back in a moment, or not soon. */
export function noRespondersWaitMs(): number {
  return 10 + Math.random() * 20;
}
