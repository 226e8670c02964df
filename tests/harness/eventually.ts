import { setTimeout as wait } from 'node:timers/promises';

/** Looks again and again until a condition holds; throws with the last value after a generous while. */
export async function eventually<T>(look: () => Promise<T>, holds: (value: T) => boolean, seconds = 30): Promise<T> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (performance.now() > until) throw new Error(`still not so after ${seconds} s: ${JSON.stringify(value)}`);
    await wait(50);
  }
}
