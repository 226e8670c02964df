import { KeyedCounter } from './keyed-counter.ts';
import { WaitQueue, type RefusalReason, type Waiter } from './wait-queue.ts';

export interface SemaphoreLimits {
  /** Number of permits. */
  readonly limit: number;
  /** Number of permits that one key may hold; all of them when absent. */
  readonly quotaPerKey?: number;
  /**
   * Number of permits that one caller may hold, for permits that are held long: a caller that holds one never takes the
   * last that is free. When absent, one caller may hold all that are free.
   */
  readonly quotaPerCaller?: number;
  /** The same among the permits of each key, with `quotaPerKey` as the number of permits. */
  readonly quotaPerCallerOfKey?: number;
  /** Number of waiters allowed, in all, for one key and for one caller; no waiting when all are absent. */
  readonly queueMax?: number;
  readonly queueMaxPerKey?: number;
  readonly queueMaxPerCaller?: number;
  /** Creates the error that `acquire` and `run` throw when they get no permit. */
  readonly refuse: (reason: RefusalReason) => Error;
}

export interface AcquireOptions {
  /** Key whose quota the permit counts towards; null for no quota. */
  readonly key?: string | null;
  /** Caller whose quota the permit counts towards and whose turn it takes; null for a caller without a quota. */
  readonly caller?: string | null;
  /** Maximum wait in milliseconds; unlimited when absent. */
  readonly timeoutMs?: number;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

const pairOf = (key: string, caller: string) => `${key}\0${caller}`;

/** Returns whether a caller may take one more permit: the first, or one within the quota that is not the last. */
function isWithin(quota: number | undefined, held: number, free: number): boolean {
  return quota === undefined || held === 0 || (held < quota && free > 1);
}

/**
 * Counting semaphore with a bounded queue, timeouts of waits and quotas per key and per caller. Waiters are admitted in
 * turn, one of each caller, and those of one caller first come, first served; a waiter whose key or caller has reached
 * its quota is passed by others.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #heldBy = new KeyedCounter<string>();
  readonly #heldByCaller = new KeyedCounter<string>();
  readonly #heldByCallerOfKey = new KeyedCounter<string>();
  readonly #queue: WaitQueue;
  #limit: number;
  #held = 0;
  #closed = false;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#limit = limits.limit;
    const { queueMax, queueMaxPerKey, queueMaxPerCaller } = limits;
    const mayWait = queueMaxPerKey !== undefined || queueMaxPerCaller !== undefined;
    this.#queue = new WaitQueue(queueMax ?? (mayWait ? Infinity : 0), queueMaxPerKey, queueMaxPerCaller);
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes a permit without waiting, before all waiters; returns false when there is none for the key and caller. */
  tryAcquire(key: string | null = null, caller: string | null = null): boolean {
    const { quotaPerCaller } = this.#limits;
    const free = this.#limit - this.#held;
    if (this.#closed || free <= 0) return false;
    if (caller !== null && !isWithin(quotaPerCaller, this.#heldByCaller.of(caller), free)) return false;
    if (key !== null && !this.tryAssign(key, caller)) return false;
    if (caller !== null) this.#heldByCaller.add(caller);
    this.#held += 1;
    return true;
  }

  /** Takes a permit, waiting for it if necessary; rejects with the error from `refuse` when there is none in time. */
  acquire({ key = null, caller = null, timeoutMs, signal }: AcquireOptions = {}): Promise<void> {
    if (this.#closed) return Promise.reject(this.#limits.refuse('closed'));
    if (signal?.aborted) return Promise.reject(this.#limits.refuse('aborted'));
    if (this.tryAcquire(key, caller)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const refuse = (reason: RefusalReason) => reject(this.#limits.refuse(reason));
      const waiter: Waiter = { key, caller, admit: resolve, refuse };
      if (!this.#queue.add(waiter, { timeoutMs, signal })) refuse('full');
    });
  }

  /** Counts a permit that is already held towards a key's quota; returns false when the quota is reached. */
  tryAssign(key: string, caller: string | null = null): boolean {
    const { quotaPerKey = Infinity, quotaPerCallerOfKey } = this.#limits;
    const free = quotaPerKey - this.#heldBy.of(key);
    if (free <= 0) return false;
    if (caller !== null) {
      const pair = pairOf(key, caller);
      if (!isWithin(quotaPerCallerOfKey, this.#heldByCallerOfKey.of(pair), free)) return false;
      this.#heldByCallerOfKey.add(pair);
    }
    this.#heldBy.add(key);
    return true;
  }

  /** Stops counting a permit towards a key's quota; the permit stays held. */
  unassign(key: string, caller: string | null = null): void {
    this.#removeFrom(key, caller);
    this.#queue.admitKey(key, this.#tryAdmit);
  }

  /** Releases a permit that counted towards the quotas of this key and this caller. */
  release(key: string | null = null, caller: string | null = null): void {
    const limitReached = this.#held >= this.#limit;
    this.#held -= 1;
    if (key !== null) this.#removeFrom(key, caller);
    if (caller !== null) this.#heldByCaller.remove(caller);
    // Below the limit, waiters of all other keys wait for the quotas of their own keys, or for those of their callers.
    if (limitReached || this.#limits.quotaPerCaller !== undefined) this.#queue.admitAny(this.#tryAdmit);
    else this.#queue.admitKey(key, this.#tryAdmit);
  }

  /** Runs work with a permit; rejects with the error from `refuse` when there is none in time. */
  async run<T>(work: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const { key = null, caller = null } = options;
    // With a free permit the work starts synchronously.
    if (!this.tryAcquire(key, caller)) await this.acquire(options);
    try {
      return await work();
    } finally {
      this.release(key, caller);
    }
  }

  /** Changes the number of permits; those that are held beyond it stay held. */
  resize(limit: number): void {
    const isMore = limit > this.#limit;
    this.#limit = limit;
    if (isMore) this.#queue.admitAny(this.#tryAdmit);
  }

  /** Refuses all present and future waiters; permits that are held stay held. */
  close(): void {
    this.#closed = true;
    this.#queue.refuseAll('closed');
  }

  readonly #tryAdmit = ({ key, caller }: Waiter) => this.tryAcquire(key, caller);

  #removeFrom(key: string, caller: string | null): void {
    this.#heldBy.remove(key);
    if (caller !== null) this.#heldByCallerOfKey.remove(pairOf(key, caller));
  }
}
