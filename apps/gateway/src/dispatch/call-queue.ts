import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

export interface CallQueueLimits {
  readonly inFlightMax: number;
  readonly waitingMax: number;
}

/** Runs a call when its key has fewer than the limit in flight. BusyError when too many wait, or the wait is too long. */
export type Enqueue = <T>(key: string, msMax: number, call: () => Promise<T>) => Promise<T>;

/**
 * A FIFO queue for each key. Calls that workers have no slot for are retried; most calls for one repository, which would
 * only be refused together, wait here instead, where that costs nothing.
 */
export function createCallQueue({ inFlightMax, waitingMax }: CallQueueLimits): Enqueue {
  const calls = new Semaphore({
    limit: Infinity,
    quotaPerKey: inFlightMax,
    queueMaxPerKey: waitingMax,
    refuse: () => new BusyError(),
  });
  return (key, msMax, call) => calls.run(call, { key, timeoutMs: msMax });
}
