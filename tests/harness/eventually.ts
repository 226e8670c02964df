import { setTimeout as wait } from 'node:timers/promises';

const leastPauseMs = 50;

/**
 * Calls `look` repeatedly until the condition holds for its value, which is returned; throws with the last value after
 * `seconds`. The pauses grow with the elapsed time, because a look may be costly.
 */
export async function eventually<T>(look: () => Promise<T>, holds: (value: T) => boolean, seconds = 30): Promise<T> {
  const start = performance.now();
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    const elapsedMs = performance.now() - start;
    if (elapsedMs > seconds * 1000) throw new Error(`still not so after ${seconds} s: ${JSON.stringify(value)}`);
    await wait(Math.max(leastPauseMs, elapsedMs / 20));
  }
}
