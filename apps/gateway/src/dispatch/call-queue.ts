import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

export interface CallQueueLimits {
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
