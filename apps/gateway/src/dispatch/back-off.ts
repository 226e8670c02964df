const firstBusyMs = 20;
const busyMsMax = 320;

/** Waits after the n-th busy answer: longer each time, and never in step with other gateways. */
export function busyWaitMs(attempt: number): number {
  const limit = Math.min(busyMsMax, firstBusyMs * 2 ** Math.min(attempt, 10));
  return limit / 2 + Math.random() * (limit / 2);
}

/** A worker that restarts or a connection that moves is back in a moment, or not soon. */
export function noRespondersWaitMs(): number {
  return 10 + Math.random() * 20;
}
