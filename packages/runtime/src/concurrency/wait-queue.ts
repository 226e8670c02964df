import { KeyedCounter } from './keyed-counter.ts';

/** Reason why a permit was refused: the queue was full, the wait timed out or was aborted, or the semaphore was closed. */
export type RefusalReason = 'full' | 'timeout' | 'aborted' | 'closed';

export interface Waiter {
  readonly key: string | null;
  /** Caller for whom the waiter waits; all waiters without one take their turns as one caller. */
  readonly caller: string | null;
  admit(): void;
  refuse(reason: RefusalReason): void;
}

interface WaitLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Queued {
  readonly waiter: Waiter;
  /** Round in which the waiter has its turn: each caller has one turn in each round. */
  readonly round: number;
  readonly position: number;
  /** Ends the timer of the wait, and its listener to the signal. */
  readonly stop: () => void;
}

type QueuesByCaller = Map<string | null, Set<Queued>>;

/** Returns the first waiter of each caller, in the order of their turns. */
function firstInTurn(queues: Iterable<QueuesByCaller>): Queued[] {
  const first = [...queues].flatMap((byCaller) => [...byCaller.values()].flatMap(([queued]) => queued ?? []));
  return first.toSorted((one, other) => one.round - other.round || one.position - other.position);
}

/**
 * Queue of waiters by key and caller. Callers take turns, whatever the number of their waiters; the waiters of one
 * caller are admitted in the order in which they came. An admission looks only at the first of each key and caller.
 */
export class WaitQueue {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #maxPerCaller: number;
  readonly #byKey = new Map<string | null, QueuesByCaller>();
  readonly #ofKey = new KeyedCounter<string | null>();
  readonly #ofCaller = new KeyedCounter<string | null>();
  /** The last round in which each caller that waits has a turn. */
  readonly #lastRounds = new Map<string | null, number>();
  #round = 0;
  #size = 0;
  #next = 0;

  constructor(max: number, maxPerKey = Infinity, maxPerCaller = Infinity) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
    this.#maxPerCaller = maxPerCaller;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a waiter; returns false when the queue is full. The timer of a waiter ends with its wait. */
  add(waiter: Waiter, { timeoutMs, signal }: WaitLimits = {}): boolean {
    const { key, caller } = waiter;
    if (this.#size >= this.#max || this.#ofKey.of(key) >= this.#maxPerKey) return false;
    if (this.#ofCaller.of(caller) >= this.#maxPerCaller) return false;
    const leave = (reason: RefusalReason) => {
      this.#remove(queued);
      this.#returnRound(caller);
      waiter.refuse(reason);
    };
    const abort = () => leave('aborted');
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => leave('timeout'), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    const stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const round = Math.max(this.#round, (this.#lastRounds.get(caller) ?? 0) + 1);
    const queued: Queued = { waiter, round, position: this.#next, stop };
    this.#next += 1;
    this.#size += 1;
    this.#ofKey.add(key);
    this.#ofCaller.add(caller);
    this.#lastRounds.set(caller, round);
    const byCaller = this.#byKey.get(key) ?? new Map<string | null, Set<Queued>>();
    this.#byKey.set(key, byCaller.set(caller, (byCaller.get(caller) ?? new Set()).add(queued)));
    return true;
  }

  /** Admits waiters of one key, in turn, while `tryAcquire` takes a permit for one of them. */
  admitKey(key: string | null, tryAcquire: (waiter: Waiter) => boolean): void {
    this.#admitWhile(() => firstInTurn([this.#byKey.get(key) ?? new Map<null, Set<Queued>>()]), tryAcquire);
  }

  /** Admits waiters of all keys, in turn, while `tryAcquire` takes a permit for one of them. */
  admitAny(tryAcquire: (waiter: Waiter) => boolean): void {
    this.#admitWhile(() => firstInTurn(this.#byKey.values()), tryAcquire);
  }

  refuseAll(reason: RefusalReason): void {
    for (const queued of [...this.#byKey.values()]
      .flatMap((byCaller) => [...byCaller.values()])
      .flatMap((q) => [...q])) {
      this.#remove(queued);
      queued.waiter.refuse(reason);
    }
  }

  #admitWhile(candidates: () => Queued[], tryAcquire: (waiter: Waiter) => boolean): void {
    // Nearly always, and for each permit of each call.
    while (this.#size > 0) {
      const next = candidates().find(({ waiter }) => tryAcquire(waiter));
      if (!next) return;
      if (next.round > this.#round) this.#beginRound(next.round);
      this.#remove(next);
      next.waiter.admit();
    }
  }

  #remove(queued: Queued): void {
    queued.stop();
    const { key, caller } = queued.waiter;
    const byCaller = this.#byKey.get(key);
    const queue = byCaller?.get(caller);
    if (!byCaller || !queue?.delete(queued)) return;
    this.#size -= 1;
    this.#ofKey.remove(key);
    this.#ofCaller.remove(caller);
    if (queue.size === 0) byCaller.delete(caller);
    if (byCaller.size === 0) this.#byKey.delete(key);
  }

  /** Gives a caller whose waiters have all left the turns back that they did not take. */
  #returnRound(caller: string | null): void {
    const last = this.#lastRounds.get(caller);
    if (last === undefined || this.#ofCaller.of(caller) > 0) return;
    this.#lastRounds.set(caller, Math.min(last, this.#round));
  }

  #beginRound(round: number): void {
    this.#round = round;
    for (const [caller, last] of this.#lastRounds) if (last < round) this.#lastRounds.delete(caller);
  }
}
