import { KeyedCounter } from './keyed-counter.ts';
import { WaitQueue, type Waiter } from './wait-queue.ts';

/** Reason why a permit was refused: the queue was full, the wait timed out or was aborted, or the semaphore was closed. */
export type RefusalReason = 'full' | 'timeout' | 'aborted' | 'closed';

export interface SemaphoreLimits {
  /** Number of permits. */
  readonly limit: number;
  /** Number of permits that one key may hold; all of them when absent. */
  readonly quotaPerKey?: number;
  /** Number of waiters allowed, in all and for one key; no waiting when both are absent. */
  readonly queueMax?: number;
  readonly queueMaxPerKey?: number;
  /** Creates the error that `acquire` and `run` throw when they get no permit. */
  readonly refuse: (reason: RefusalReason) => Error;
}

export interface AcquireOptions {
  /** Key whose quota the permit counts towards; null for no quota. */
  readonly key?: string | null;
  /** Maximum wait in milliseconds; unlimited when absent. */
  readonly timeoutMs?: number;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counting semaphore with a bounded queue, timeouts of waits and a quota per key. Permits are given first come, first
 * served, except that a waiter whose key has reached its quota is passed by waiters of other keys.
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

  /** Takes a permit without waiting, before all waiters; returns false when there is none for the key. */
  tryAcquire(key: string | null = null): boolean {
    if (this.#closed || this.#held >= this.#limits.limit || (key !== null && !this.tryAssign(key))) return false;
    this.#held += 1;
    return true;
  }

  /** Takes a permit, waiting for it if necessary; rejects with the error from `refuse` when there is none in time. */
  acquire({ key = null, timeoutMs, signal }: AcquireOptions = {}): Promise<void> {
    if (this.#closed) return Promise.reject(this.#limits.refuse('closed'));
    if (signal?.aborted) return Promise.reject(this.#limits.refuse('aborted'));
    if (this.tryAcquire(key)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const refuse = (reason: RefusalReason) => reject(this.#limits.refuse(reason));
      const waiter: Waiter = { key, admit: resolve, refuse };
      if (!this.#queue.add(waiter, { timeoutMs, signal })) refuse('full');
    });
  }

  /** Counts a permit that is already held towards a key's quota; returns false when the quota is reached. */
  tryAssign(key: string): boolean {
    if (this.#heldBy.of(key) >= (this.#limits.quotaPerKey ?? Infinity)) return false;
    this.#heldBy.add(key);
    return true;
  }

  /** Stops counting a permit towards a key's quota; the permit stays held. */
  unassign(key: string): void {
    this.#heldBy.remove(key);
    this.#admitKey(key);
  }

  /** Releases a permit that counted towards this key's quota. */
  release(key: string | null = null): void {
    const limitReached = this.#held >= this.#limits.limit;
    this.#held -= 1;
    if (key !== null) this.#heldBy.remove(key);
    // Below the limit, waiters of all other keys wait for the quotas of their own keys.
    if (limitReached) this.#queue.admitAny((waiting) => this.tryAcquire(waiting));
    else this.#admitKey(key);
  }

  /** Runs work with a permit; rejects with the error from `refuse` when there is none in time. */
  async run<T>(work: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    // With a free permit the work starts synchronously.
    if (!this.tryAcquire(options.key)) await this.acquire(options);
    try {
      return await work();
    } finally {
      this.release(options.key ?? null);
    }
  }

  /** Refuses all present and future waiters; permits that are held stay held. */
  close(): void {
    this.#closed = true;
    this.#queue.refuseAll('closed');
  }

  #admitKey(key: string | null): void {
    this.#queue.admitKey(key, (waiting) => this.tryAcquire(waiting));
  }
}
