import { setTimeout as sleep } from 'node:timers/promises';

/** Monotonic milliseconds and delays, which tests replace. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(ms) {
    await sleep(ms);
  },
};
