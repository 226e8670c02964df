import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { callerKey } from './caller-key.ts';
import { isRecord, type Command } from './command.ts';
import type { RepositoryHints } from './repository-hints.ts';

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
