import { LRUCache } from 'lru-cache';

export interface RateLimits {
  /** Interval between the units of one key at which the key always conforms, in milliseconds. */
  readonly intervalMs: number;
  /** Number of units that one key may be charged at once. */
  readonly burst: number;
  /** Maximum number of keys in memory; the least recently used are dropped. */
  readonly keysMax: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Rate limiter after the generic cell rate algorithm (GCRA, ITU-T I.371). One number is kept for each key: the
 * theoretical arrival time, at which all charged units are paid off.
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #arrivalTimes: LRUCache<string, number>;

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#arrivalTimes = new LRUCache({ max: limits.keysMax });
  }

  /** Returns the milliseconds until the key conforms; 0 or less when the key conforms now. */
  waitMs(key: string): number {
    const { intervalMs, burst, now } = this.#limits;
    return (this.#arrivalTimes.get(key) ?? -Infinity) - now() - intervalMs * (burst - 1);
  }

  /** Charges a key without checking whether it conforms; a negative number of units is a refund. */
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
