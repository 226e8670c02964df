import type { RefusalReason } from './semaphore.ts';

export interface Waiter {
  readonly key: string | null;
  admit(): void;
  refuse(reason: RefusalReason): void;
}

interface WaitLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Queued {
  readonly waiter: Waiter;
  readonly position: number;
  /** Ends the timer of the wait, and its listener to the signal. */
  readonly stop: () => void;
}

/** Queue of waiters in the order in which they came, by key: an admission looks only at the first of each key. */
export class WaitQueue {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #byKey = new Map<string | null, Set<Queued>>();
  #size = 0;
  #next = 0;

  constructor(max: number, maxPerKey: number) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a waiter; returns false when the queue is full. The timer of a waiter ends with its wait. */
  add(waiter: Waiter, { timeoutMs, signal }: WaitLimits = {}): boolean {
    const sameKey = this.#byKey.get(waiter.key) ?? new Set();
    if (this.#size >= this.#max || sameKey.size >= this.#maxPerKey) return false;
    const leave = (reason: RefusalReason) => {
      this.#remove(queued);
      waiter.refuse(reason);
    };
    const abort = () => leave('aborted');
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => leave('timeout'), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    const stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const queued: Queued = { waiter, position: this.#next, stop };
    this.#next += 1;
    this.#size += 1;
    this.#byKey.set(waiter.key, sameKey.add(queued));
    return true;
  }

  /** Admits waiters of one key, in the order in which they came, while `tryAcquire` takes a permit. */
  admitKey(key: string | null, tryAcquire: (key: string | null) => boolean): void {
    for (const queued of this.#byKey.get(key) ?? []) {
      if (!tryAcquire(key)) return;
      this.#admit(queued);
    }
  }

  /** Admits waiters of all keys, in the order in which they came, while `tryAcquire` takes a permit for one of them. */
  admitAny(tryAcquire: (key: string | null) => boolean): void {
    for (;;) {
      const next = this.#firstOfEachKey().find(({ waiter }) => tryAcquire(waiter.key));
      if (!next) return;
      this.#admit(next);
    }
  }

  refuseAll(reason: RefusalReason): void {
    for (const queue of this.#byKey.values()) {
      for (const queued of queue) {
        this.#remove(queued);
        queued.waiter.refuse(reason);
      }
    }
  }

  #admit(queued: Queued): void {
    this.#remove(queued);
    queued.waiter.admit();
  }

  #firstOfEachKey(): Queued[] {
    const first = [...this.#byKey.values()].flatMap(([queued]) => queued ?? []);
    return first.toSorted((one, other) => one.position - other.position);
  }

  #remove(queued: Queued): void {
    queued.stop();
    const sameKey = this.#byKey.get(queued.waiter.key);
    if (!sameKey?.delete(queued)) return;
    this.#size -= 1;
    if (sameKey.size === 0) this.#byKey.delete(queued.waiter.key);
  }
}
