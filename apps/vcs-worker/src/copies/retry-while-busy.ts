import { BusyError } from '@trunkline/contracts';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = { first: 100, max: 5_000 } as const;
/** Time for which an action is asked for again while the workers of the storage are busy. */
const busyMsMax = 600_000;

/** Asks again after growing pauses while the answer is BusyError, or another error for as many milliseconds as `msMaxOf` returns. */
export async function retryWhileBusy<T>(
  signal: AbortSignal,
  ask: () => Promise<T>,
  msMaxOf: (error: unknown) => number = () => 0,
): Promise<T> {
  const began = performance.now();
  for (let pause: number = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.max)) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const msMax = error instanceof BusyError ? busyMsMax : msMaxOf(error);
      if (performance.now() - began + pause > msMax) throw error;
    }
    await sleep(pause * (0.5 + Math.random()), undefined, { signal });
  }
}
