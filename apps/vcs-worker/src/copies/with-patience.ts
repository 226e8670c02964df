import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = { first: 100, max: 5_000 } as const;

/** Time for which an action is asked for again while the workers of the storage are busy. */
export const busyMsMax = 600_000;

/** Asks again after growing pauses, as long as an error is to be waited out: `patienceFor` returns for how many milliseconds. */
export async function withPatience<T>(
  patienceFor: (error: unknown) => number,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  for (let pause: number = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.max)) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - began + pause > patienceFor(error)) throw error;
    }
    await sleep(pause * (0.5 + Math.random()), undefined, { signal });
  }
}
