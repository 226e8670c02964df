import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { callerKey, isRecord, type Command } from './command.ts';
import type { RepositoryHints } from './repository-hints.ts';

interface CallQueueLimits {
  readonly inFlightMax: number;
  readonly waitingMax: number;
}

/**
 * Runs a call once fewer than `inFlightMax` calls of its key are in flight. Throws BusyError when `waitingMax` calls of
 * the key already wait, or when this call has waited for `msMax` milliseconds or until the signal aborts.
 */
type Enqueue = <T>(key: string, msMax: number, call: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface CallQueue {
  readonly enqueue: Enqueue;
  /** Number of calls that wait. */
  readonly waiting: () => number;
}

/**
 * Creates a FIFO queue for each key. A call for which no worker has a slot is refused and retried; of many calls for
 * one repository, which would all be refused, most wait in this queue instead, which costs nothing.
 */
export function createCallQueue({ inFlightMax, waitingMax }: CallQueueLimits): CallQueue {
  const calls = new Semaphore({
    limit: Infinity,
    quotaPerKey: inFlightMax,
    queueMaxPerKey: waitingMax,
    refuse: () => new BusyError({ quota: 'call_queue' }),
  });
  return {
    enqueue: (key, msMax, call, signal) => calls.run(call, { key, timeoutMs: msMax, signal }),
    waiting: () => calls.waiting,
  };
}

/**
 * Returns the key of a call queue, which the calls of one caller about one repository in one lane share; null for calls
 * about no repository, and for transfers, which workers queue. A repository that is named has a queue of its own until
 * its id is known.
 */
export function queueKeyOf(
  command: Pick<Command, 'method' | 'lane' | 'args' | 'caller'>,
  hints: Pick<RepositoryHints, 'idOf'>,
) {
  const { method, lane, args, caller } = command;
  if (lane === 'transfer' || !method.permission.repository || !isRecord(args)) return null;
  const { repoid } = args;
  // A value of another type names no repository, and its conversion to text could throw.
  if (typeof repoid !== 'string' && typeof repoid !== 'number') return null;
  const id = hints.idOf(`${repoid}`);
  return `${callerKey(caller)} ${lane} ${id ?? `named ${repoid}`}`;
}

/** The first delay before a call that was answered "busy" is sent again, and the longest one, in milliseconds. */
const firstBusyMs = 20;
const busyMsMax = 320;
/** Number of calls that ask the workers again at the same time, of those with one key. */
const askingMax = 4;
const waitingMax = 2_048;
/**
 * Time after which another call may ask beside one that asks, in milliseconds. Workers refuse a call within a fraction of
 * it: one that they have not refused runs, or waits there for its repository, perhaps for an hour.
 */
const askingMsMax = 1_000;

/** Returns the delay in milliseconds before a retry after a busy answer: exponential in `attempt`, with jitter. */
export function busyWaitMs(attempt: number): number {
  const limit = Math.min(busyMsMax, firstBusyMs * 2 ** Math.min(attempt, 10));
  return limit / 2 + Math.random() * (limit / 2);
}

/** Waits until a call may ask once more. Throws BusyError when it may not within `msMax`. */
export type WaitToRetry = (key: string, msMax: number, signal?: AbortSignal) => Promise<void>;

interface RetryQueue {
  /** Runs a call, with the function that waits until it may ask again; leaves the queue when the call has ended. */
  run<T>(call: (waitToRetry: WaitToRetry) => Promise<T>): Promise<T>;
}

/**
 * Creates the queue of calls that workers have answered "busy". Where slots are held long, a hundred calls that each ask
 * again a few times a second would cost more than the work: a few ask, and the others wait here, first come, first
 * served.
 */
export function createRetryQueue(): RetryQueue {
  const askers = new Semaphore({
    limit: Infinity,
    quotaPerKey: askingMax,
    queueMaxPerKey: waitingMax,
    refuse: () => new BusyError({ quota: 'call_queue' }),
  });
  return {
    async run(call) {
      let held: { readonly key: string; readonly timer: NodeJS.Timeout } | null = null;
      const release = () => {
        if (held === null) return;
        clearTimeout(held.timer);
        askers.release(held.key);
        held = null;
      };
      try {
        return await call(async (key, timeoutMs, signal) => {
          if (held?.key === key) return void held.timer.refresh();
          release();
          await askers.acquire({ key, timeoutMs, signal });
          held = { key, timer: setTimeout(release, askingMsMax) };
        });
      } finally {
        release();
      }
    },
  };
}
