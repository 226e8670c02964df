import { setTimeout as wait } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { isLockTimeout, lockedRow, type Database, type Transaction } from '@trunkline/db';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { WaitingSlot } from './lane-slots.ts';
import { RowQueues, rowStayedLocked } from './row-queues.ts';

type Act<T> = (tx: Transaction) => Promise<T>;
/** Runs a transaction, whose waits for locks are to be shorter still with `isBrief`. */
type Run<T> = (isBrief: boolean) => Promise<T>;

export interface WriteTransactionsOptions {
  /** Runs a transaction. Its waits for locks are short, and shorter still with `isBrief`. */
  readonly transact: <T>(act: Act<T>, isBrief: boolean) => Promise<T>;
  /** The pool on which these transactions run. */
  readonly pool: Database;
  /** Number of connections to the database on which transactions run. */
  readonly connections: number;
  /** Called when a transaction has its connection, with the seconds for which it has waited. */
  readonly noteWait?: (seconds: number) => void;
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

type Outcome<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly key: string };

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

  /** Runs the transaction of a call, which waits until its time is up; a rolled back run leaves no trace. */
  async run<T>(call: WritingCall, act: Act<T>): Promise<T> {
    return this.#run(call, (isBrief) => this.#options.transact(act, isBrief));
  }

  /** Runs a transaction that belongs to no call, such as the end of an operation; waits for rows for `msMax`. */
  runWithoutCall<T>(act: Act<T>, msMax = operationMsMax): Promise<T> {
    return this.#patiently((isBrief) => this.#options.transact(act, isBrief), msMax);
  }

  /** Runs one statement of its own as `runWithoutCall` runs a transaction. */
  runStatementWithoutCall<T>(execute: (pool: Database) => Promise<T>, msMax = operationMsMax): Promise<T> {
    return this.#patiently(() => execute(this.#options.pool), msMax);
  }

  /** Runs again and again what finds a row locked, for `msMax`. */
  async #patiently<T>(run: Run<T>, msMax: number): Promise<T> {
    const until = performance.now() + msMax;
    const transact = (isRetry: boolean) => this.#onConnection(run, isRetry);
    for (let tries = 0; ; tries += 1) {
      try {
        return await (tries === 0 ? transact(false) : this.#retries.run(() => transact(true)));
      } catch (error) {
        if (!isLockTimeout(error) || performance.now() >= until) throw error;
      }
      await wait(pauseAfter(tries));
    }
  }

  async #run<T>(call: WritingCall, run: Run<T>): Promise<T> {
    const waits = this.#rows.isAwaited(call.key) || this.#rows.isLocked(call.key);
    let outcome = waits ? this.#join(call.key) : await this.#first(call, run);
    while (!outcome.done) outcome = await this.#queued(outcome.key, call, run);
    return outcome.value;
  }

  #onConnection<T>(run: Run<T>, isRetry: boolean, limits: { key?: string; timeoutMs?: number } = {}): Promise<T> {
    const asked = performance.now();
    return this.#connections.run(() => {
      this.#options.noteWait?.((performance.now() - asked) / 1_000);
      // Others wait behind a transaction that waits for a lock.
      const othersWait = isRetry && this.#retries.waiting > 0;
      return run(othersWait || this.#connections.held > this.#options.connections / 2);
    }, limits);
  }

  #join(key: string): { done: false; key: string } {
    this.#rows.join(key);
    return { done: false, key };
  }

  async #first<T>(call: WritingCall, run: Run<T>): Promise<Outcome<T>> {
    const { key, slot, msLeft } = call;
    if (!this.#quota.tryAcquire(key)) {
      slot.releaseToWait(`transactions on ${key}`);
      await this.#quota.acquire({ key, timeoutMs: msLeft() });
    }
    try {
      // While this call waited for the quota, another one may have found the row locked.
      if (this.#rows.isAwaited(key)) return this.#join(key);
      if (!(await slot.reacquire(msLeft()))) throw new BusyError({ quota: 'slots' });
      return await this.#attempt(call, run, false);
    } finally {
      this.#quota.release(key);
    }
  }

  /** Runs the transaction once. When a row is locked, joins the queue of that row. */
  async #attempt<T>({ key, callerId, msLeft }: WritingCall, run: Run<T>, isRetry: boolean): Promise<Outcome<T>> {
    try {
      const limits = { key: String(callerId), timeoutMs: msLeft() };
      return { done: true, value: await this.#onConnection(run, isRetry, limits) };
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const queueKey = queueKeyOf(key, error);
      this.#rows.note(queueKey, true);
      return this.#join(queueKey);
    }
  }

  /** Waits in the queue that the call has joined, and runs the transaction until its row is free. */
  async #queued<T>(key: string, call: WritingCall, run: Run<T>): Promise<Outcome<T>> {
    try {
      call.slot.releaseToWait(`transactions on ${key}`);
      return await this.#rows.inTurn(key, call.msLeft(), async () => {
        for (let tries = 0; ; tries += 1) {
          const outcome = await this.#retry(key, tries, call, run);
          if (outcome.done || outcome.key !== key) {
            this.#rows.note(key, false);
            return outcome;
          }
          // The call is in the queue already.
          this.#rows.leave(key);
          call.slot.releaseToWait(`transactions on ${key}`);
        }
      });
    } finally {
      this.#rows.leave(key);
    }
  }

  async #retry<T>(key: string, tries: number, call: WritingCall, run: Run<T>): Promise<Outcome<T>> {
    const attempt = async (isRetry: boolean) => {
      if (!(await call.slot.reacquire(call.msLeft()))) throw rowStayedLocked();
      return this.#attempt(call, run, isRetry);
    };
    if (!this.#rows.isLocked(key)) return attempt(false);
    await wait(pauseAfter(tries));
    // Nothing has begun, so another worker may run the call.
    if (this.#options.stopping.aborted) throw new BusyError();
    if (call.msLeft() === 0) throw rowStayedLocked();
    return this.#retries.run(() => attempt(true), { timeoutMs: call.msLeft() });
  }
}
