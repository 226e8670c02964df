import { setTimeout as wait } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { isForeignKeyViolation, isLockTimeout, lockedRow, type Database, type Transaction } from '@trunkline/db';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { WaitingSlot } from './lane-slots.ts';
import { type QueuedCall, RowQueues, rowStayedLocked } from './row-queues.ts';

type Act<T> = (tx: Transaction) => Promise<T>;

export interface WriteTransactionsOptions {
  /** Runs a transaction. Its waits for locks are short, and shorter still with `isBrief`. */
  readonly transact: <T>(act: Act<T>, isBrief: boolean) => Promise<T>;
  /** The pool on which these transactions run. */
  readonly pool: Database;
  /** Number of connections to the database on which transactions run. */
  readonly connections: number;
  /** Called when a transaction has its connection, with the seconds for which it has waited. */
  readonly recordWait?: (seconds: number) => void;
  /** Fires when this worker is told to stop. */
  readonly stopping: AbortSignal;
}

/** A call that runs a transaction. */
export interface WritingCall {
  /** Key of the object that the call names; its calls share a quota and, while a row of it is locked, a queue. */
  readonly key: string;
  readonly callerId: number;
  readonly slot: Pick<WaitingSlot, 'releaseToWait' | 'reacquire'>;
  /** Returns the milliseconds for which the call may still wait. */
  readonly msLeft: () => number;
}

/** Gives back a permit. */
type Release = () => void;

interface Limits {
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** How long a transaction waits for a lock: a brief one because others want its connection. */
type LockWait = 'short' | 'brief';

/** Waits for a permit, and adds its release to those of the permits that are held. */
async function hold(semaphore: Semaphore, limits: Limits, held: Release[]): Promise<void> {
  await semaphore.acquire(limits);
  held.push(() => semaphore.release(limits.key));
}

function releaseAll(held: readonly Release[]): void {
  for (const release of held.toReversed()) release();
}

/** Quota: how many transactions of calls may run at once on one object. */
const quotaPerKey = 2;
const pauseMs = { min: 25, max: 200 };
/** Longer than Postgres leaves a frozen process its transaction. */
const operationMsMax = 120_000;

function pauseAfter(tries: number): number {
  return Math.min(pauseMs.max, pauseMs.min * 2 ** Math.min(tries, 10));
}

/** Returns the queue for a lock that was not granted: that of the call's object, unless it was a row of another table. */
function queueKeyOf(callKey: string, error: unknown): string {
  const row = lockedRow(error);
  return row === undefined || row.relation === 'repositories' ? callKey : `${row.relation} ${row.position}`;
}

/**
 * Runs the transactions that change something. One that finds a row locked is rolled back after a short wait and run
 * again later: meanwhile it holds neither a connection nor, if it belongs to a call, a slot.
 */
export class WriteTransactions {
  readonly #options: WriteTransactionsOptions;
  readonly #connections: Semaphore;
  /** Transactions that probably find their row locked again hold a part of the connections only. */
  readonly #retries: Semaphore;
  readonly #quota: Semaphore;
  readonly #rows = new RowQueues();

  constructor(options: WriteTransactionsOptions) {
    const { connections, stopping } = options;
    const refuse = () => new BusyError({ quota: 'connections' });
    this.#options = options;
    const quotaPerCaller = Math.max(1, connections - 2);
    this.#connections = new Semaphore({ limit: connections, quotaPerKey: quotaPerCaller, queueMax: Infinity, refuse });
    this.#retries = new Semaphore({
      limit: Math.max(1, Math.floor(connections / 3)),
      queueMax: Infinity,
      refuse: () => rowStayedLocked(),
    });
    this.#quota = new Semaphore({ limit: Infinity, quotaPerKey, queueMax: Infinity, refuse });
    stopping.addEventListener('abort', () => this.#rows.close(), { once: true });
  }

  /** Transactions that run, and those that wait for a connection. */
  get figures(): { readonly running: number; readonly waiting: number } {
    const { held, waiting } = this.#connections;
    return { running: held, waiting: waiting + this.#retries.waiting };
  }

  /** Returns whether calls on this object wait, because a row of it is locked. */
  isAwaited(key: string): boolean {
    return this.#rows.isAwaited(key);
  }

  /**
   * Runs the transaction of a call, which waits for locked rows until its time is up; a rolled back one leaves no trace.
   * Repeats it once after a foreign-key violation: then it reports the object deleted in between as missing.
   */
  async transact<T>(call: WritingCall, act: Act<T>): Promise<T> {
    const { key } = call;
    let queued = this.#rows.isAwaited(key) || this.#rows.isLocked(key) ? this.#rows.join(key) : null;
    let mayViolateKey = true;
    try {
      for (;;) {
        const held: Release[] = [];
        try {
          const lockWait = queued ? await this.#waitInTurn(queued, call, held) : await this.#waitFirst(call, held);
          if (lockWait === 'behind others') {
            queued = this.#rows.join(key);
            continue;
          }
          const acted = await this.#options.transact(act, lockWait === 'brief');
          if (queued) this.#rows.foundFree(queued);
          return acted;
        } catch (error) {
          if (isLockTimeout(error)) queued = this.#rows.foundLocked(queueKeyOf(key, error), queued);
          else if (mayViolateKey && isForeignKeyViolation(error)) mayViolateKey = false;
          else throw error;
        } finally {
          releaseAll(held);
        }
      }
    } finally {
      if (queued) this.#rows.leave(queued);
    }
  }

  /** Runs a transaction that belongs to no call, such as the end of an operation; waits for rows for `msMax`. */
  runWithoutCall<T>(act: Act<T>, msMax = operationMsMax): Promise<T> {
    return this.#patiently((isBrief) => this.#options.transact(act, isBrief), msMax);
  }

  /** Runs one statement of its own as `runWithoutCall` runs a transaction. */
  runStatementWithoutCall<T>(execute: (pool: Database) => Promise<T>, msMax = operationMsMax): Promise<T> {
    return this.#patiently(() => execute(this.#options.pool), msMax);
  }

  /** Acts again and again while a row is locked, for `msMax`. */
  async #patiently<T>(act: (isBrief: boolean) => Promise<T>, msMax: number): Promise<T> {
    const until = performance.now() + msMax;
    for (let tries = 0; ; tries += 1) {
      const held: Release[] = [];
      try {
        if (tries > 0) await hold(this.#retries, {}, held);
        const lockWait = await this.#connect(tries > 0, {}, held);
        return await act(lockWait === 'brief');
      } catch (error) {
        if (!isLockTimeout(error) || performance.now() >= until) throw error;
      } finally {
        releaseAll(held);
      }
      await wait(pauseAfter(tries));
    }
  }

  /** Waits for a connection. */
  async #connect(isRetry: boolean, limits: Limits, held: Release[]): Promise<LockWait> {
    const asked = performance.now();
    await hold(this.#connections, limits, held);
    this.#options.recordWait?.((performance.now() - asked) / 1_000);
    // Others wait behind a transaction that waits for a lock.
    const othersWait = isRetry && this.#retries.waiting > 0;
    return othersWait || this.#connections.held > this.#options.connections / 2 ? 'brief' : 'short';
  }

  /** Waits for what the first attempt of a call needs, unless others wait for a row of its object by then. */
  async #waitFirst({ key, callerId, slot, msLeft }: WritingCall, held: Release[]): Promise<LockWait | 'behind others'> {
    if (this.#quota.tryAcquire(key)) held.push(() => this.#quota.release(key));
    else {
      slot.releaseToWait(`transactions on ${key}`);
      await hold(this.#quota, { key, timeoutMs: msLeft() }, held);
    }
    if (this.#rows.isAwaited(key)) return 'behind others';
    if (!(await slot.reacquire(msLeft()))) throw new BusyError({ quota: 'slots' });
    return this.#connect(false, { key: String(callerId), timeoutMs: msLeft() }, held);
  }

  /** Waits for the turn of a call in its queue, and for what its next attempt needs. */
  async #waitInTurn(queued: QueuedCall, { callerId, slot, msLeft }: WritingCall, held: Release[]): Promise<LockWait> {
    slot.releaseToWait(`transactions on ${queued.key}`);
    await this.#rows.takeTurn(queued, msLeft());
    const isRetry = this.#rows.isLocked(queued.key);
    if (isRetry) {
      await wait(pauseAfter(queued.tries));
      // The attempt has not begun, so that another worker may run the call.
      if (this.#options.stopping.aborted) throw new BusyError();
      if (msLeft() === 0) throw rowStayedLocked();
      await hold(this.#retries, { timeoutMs: msLeft() }, held);
    }
    if (!(await slot.reacquire(msLeft()))) throw rowStayedLocked();
    return this.#connect(isRetry, { key: String(callerId), timeoutMs: msLeft() }, held);
  }
}
