import { BusyError, UnavailableError } from '@trunkline/contracts';
import { KeyedCounter, Semaphore, type RefusalReason } from '@trunkline/runtime/concurrency';

/** How long a row counts as locked after the last call that waited for it in vain. */
const rememberedMs = 2_000;

/** Returns the error of a call whose time was up before the row that it waited for was free. */
export function rowStayedLocked(cause?: unknown): UnavailableError {
  return new UnavailableError({ cause: cause ?? new Error('a row was locked until the time of the call was up') });
}

/**
 * Queues of the calls that wait for locked rows, by key, in the order in which they came. The first call of a queue has
 * the turn: it asks the database, and the others wait for it.
 */
export class RowQueues {
  readonly #turns = new Semaphore({
    limit: Infinity,
    quotaPerKey: 1,
    queueMax: Infinity,
    refuse: (reason: RefusalReason) =>
      reason === 'timeout' ? rowStayedLocked() : new BusyError({ quota: 'locked_rows' }),
  });
  readonly #waiting = new KeyedCounter<string>();
  /** Keys whose row was locked when it was last asked for, and when that was. */
  readonly #locked = new Map<string, number>();

  /** Returns whether calls wait for the key: a further call then joins them and does not ask the database. */
  isAwaited(key: string): boolean {
    return this.#waiting.of(key) > 0;
  }

  /**
   * Returns whether the row was locked when it was last asked for. Calls that follow each other on a row that stays
   * locked are repeated attempts from the first of each on, and do not take the connections of first ones.
   */
  isLocked(key: string): boolean {
    const at = this.#locked.get(key);
    return at !== undefined && (this.isAwaited(key) || performance.now() - at < rememberedMs);
  }

  join(key: string): void {
    this.#waiting.add(key);
  }

  leave(key: string): void {
    this.#waiting.remove(key);
    for (const locked of this.#locked.keys()) if (!this.isLocked(locked)) this.#locked.delete(locked);
  }

  note(key: string, isLocked: boolean): void {
    if (isLocked) this.#locked.set(key, performance.now());
    else this.#locked.delete(key);
  }

  /** Runs work in the turn of a call that has joined the queue. */
  async inTurn<T>(key: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work, { key, timeoutMs });
  }

  /** Refuses the calls that wait for their turn, so that another worker runs them. */
  close(): void {
    this.#turns.close();
  }
}
