import { LRUCache } from 'lru-cache';

export interface RateLimits {
  /** The interval at which one key always conforms, in milliseconds. */
  readonly intervalMs: number;
  /** How many may come at once. */
  readonly burst: number;
  /** How many keys are remembered: those used last. */
  readonly keysMax: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * The generic cell rate algorithm (GCRA, ITU-T I.371). One number is kept for each key: the theoretical arrival time, at which
 * all that was charged is paid off.
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #arrivalTimes: LRUCache<string, number>;

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#arrivalTimes = new LRUCache({ max: limits.keysMax });
  }

  /** How many milliseconds until the key conforms; 0 or less when it does now. */
  waitMs(key: string): number {
    const { intervalMs, burst, now } = this.#limits;
    return (this.#arrivalTimes.get(key) ?? -Infinity) - now() - intervalMs * (burst - 1);
  }

  /** Charges a key without asking whether it conforms; a negative number of units is a refund. */
  charge(key: string, units = 1): void {
    const { intervalMs, now } = this.#limits;
    const from = Math.max(this.#arrivalTimes.get(key) ?? -Infinity, now());
    this.#arrivalTimes.set(key, from + units * intervalMs);
  }

  /** Charges a key that conforms and returns 0; otherwise charges nothing and returns the wait in milliseconds. */
  take(key: string): number {
    const waitMs = this.waitMs(key);
    if (waitMs > 0) return waitMs;
    this.charge(key);
    return 0;
  }
}
