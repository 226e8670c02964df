import { setTimeout as sleep } from 'node:timers/promises';

/** Monotonic time in milliseconds, and delays; tests replace both. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal fires earlier. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, signal && { signal });
  },
};
