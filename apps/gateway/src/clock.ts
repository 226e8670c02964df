import { setTimeout as sleep } from 'node:timers/promises';

/** Monotonic milliseconds and delays, which tests replace. */
export interface Clock {
  now(): number;
  /** Rejects when the signal fires before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, signal && { signal });
  },
};
