import { KeyedCounter } from './keyed-counter.ts';
import { WaitQueue, type Waiter } from './wait-queue.ts';

/** Why a permit was not given: the queue was full, the time was up, or the semaphore was closed. */
export type RefusalReason = 'full' | 'timeout' | 'closed';

export interface SemaphoreLimits {
  /** How many permits there are. */
  readonly limit: number;
  /** How many of them one key may hold; all of them when absent. */
  readonly quotaPerKey?: number;
  /** How many may wait, in all and for one key; nobody waits when both are absent. */
  readonly queueMax?: number;
  readonly queueMaxPerKey?: number;
  /** What whoever gets no permit is thrown. */
  readonly refuse: (reason: RefusalReason) => Error;
}

export interface AcquireOptions {
  /** Whose quota the permit counts for; null for nobody's. */
  readonly key?: string | null;
  /** The longest wait; without end when absent. */
  readonly timeoutMs?: number;
}

/**
 * Counting semaphore with a bounded queue, wait time-outs and a quota per key. Permits are given first come, first served, but whoever waits for the quota of a key is
 * passed by those whose quota is free.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #heldBy = new KeyedCounter<string>();
  readonly #queue: WaitQueue;
  #held = 0;
  #closed = false;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
    const { queueMax, queueMaxPerKey } = limits;
    this.#queue = new WaitQueue(queueMax ?? (queueMaxPerKey === undefined ? 0 : Infinity), queueMaxPerKey ?? Infinity);
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes a permit at once, before whoever waits, or none. */
  tryAcquire(key: string | null = null): boolean {
    if (this.#closed || this.#held >= this.#limits.limit || (key !== null && !this.tryAssign(key))) return false;
    this.#held += 1;
    return true;
  }

  /** Takes a permit, waiting for it if need be; throws what `refuse` makes when there is none in time. */
  acquire({ key = null, timeoutMs }: AcquireOptions = {}): Promise<void> {
    if (this.#closed) return Promise.reject(this.#limits.refuse('closed'));
    if (this.tryAcquire(key)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const refuse = (reason: RefusalReason) => reject(this.#limits.refuse(reason));
      const waiter: Waiter = { key, admit: resolve, refuse };
      if (!this.#queue.add(waiter, timeoutMs)) refuse('full');
    });
  }

  /** Counts a permit that is held already for a key; false when the key has its quota. */
  tryAssign(key: string): boolean {
    if (this.#heldBy.of(key) >= (this.#limits.quotaPerKey ?? Infinity)) return false;
    this.#heldBy.add(key);
    return true;
  }

  /** Counts a permit that stays held no longer for a key. */
  unassign(key: string): void {
    this.#heldBy.remove(key);
    this.#admitKey(key);
  }

  /** Gives a permit back that counted for this key. */
  release(key: string | null = null): void {
    const limitReached = this.#held >= this.#limits.limit;
    this.#held -= 1;
    if (key !== null) this.#heldBy.remove(key);
    // Below the limit everybody else waits for the quota of another key.
    if (limitReached) this.#queue.admitAny((waiting) => this.tryAcquire(waiting));
    else this.#admitKey(key);
  }

  /** Runs work with a permit; throws what `refuse` makes when there is none in time. */
  async run<T>(work: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    // With a free permit the work starts in the caller's turn.
    if (!this.tryAcquire(options.key)) await this.acquire(options);
    try {
      return await work();
    } finally {
      this.release(options.key ?? null);
    }
  }

  /** Refuses whoever waits and whoever comes; permits that are held stay held. */
  close(): void {
    this.#closed = true;
    this.#queue.refuseAll('closed');
  }

  #admitKey(key: string | null): void {
    this.#queue.admitKey(key, (waiting) => this.tryAcquire(waiting));
  }
}
