import { BusyError, UnavailableError } from '@trunkline/contracts';
import { KeyedCounter, Semaphore, type RefusalReason } from '@trunkline/runtime/concurrency';

/** How long a row counts as locked after the last call that waited for it in vain. */
const rememberedMs = 2_000;

/** Returns the error of a call whose time was up before the row that it waited for was free. */
export function rowStayedLocked(cause?: unknown): UnavailableError {
  return new UnavailableError({ cause: cause ?? new Error('a row was locked until the time of the call was up') });
}

/** A call in the queue of a row. */
export interface QueuedCall {
  readonly key: string;
  hasTurn: boolean;
  /** How often the call has found the row locked in its turn. */
  tries: number;
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

  join(key: string): QueuedCall {
    this.#waiting.add(key);
    return { key, hasTurn: false, tries: 0 };
  }

  leave({ key, hasTurn }: QueuedCall): void {
    if (hasTurn) this.#turns.release(key);
    this.#waiting.remove(key);
    for (const locked of this.#locked.keys()) if (!this.isLocked(locked)) this.#locked.delete(locked);
  }

  /** Waits for the turn of a call, which keeps it until it leaves the queue. */
  async takeTurn(queued: QueuedCall, timeoutMs: number): Promise<void> {
    if (queued.hasTurn) return;
    await this.#turns.acquire({ key: queued.key, timeoutMs });
    queued.hasTurn = true;
  }

  /** Records that a call has found a row locked, and puts it into the queue of that row. */
  foundLocked(key: string, queued: QueuedCall | null): QueuedCall {
    this.#locked.set(key, performance.now());
    if (queued?.key === key) {
      queued.tries += 1;
      return queued;
    }
    const joined = this.join(key);
    if (queued) {
      this.foundFree(queued);
      this.leave(queued);
    }
    return joined;
  }

  /** Records that the row of a queue is free. */
  foundFree({ key }: QueuedCall): void {
    this.#locked.delete(key);
  }

  /** Refuses the calls that wait for their turn, so that another worker runs them. */
  close(): void {
    this.#turns.close();
  }
}
