import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** What a sign-in costs: a look-up of the user costs a query, a hash a core, a bind a wait for the LDAP server. */
export type PasswordWork = 'find' | 'hash' | 'bind';

/** Runs the work of sign-ins one after another; throws BusyError for work that cannot begin in time. */
export interface PasswordQueue {
  run<T>(kind: PasswordWork, source: string, check: () => Promise<T>): Promise<T>;
}

export interface PasswordQueues {
  /** The queue of sources from which somebody has signed in before. */
  readonly known: PasswordQueue;
  /** The queue of all other sources. */
  readonly other: PasswordQueue;
}

const refuse = () => new BusyError({ quota: 'passwords' });
const waitingMax = 100;
/** Look-ups take a millisecond each, and after its start a gateway looks up every user who sends a password. */
const waitingMaxOfKnown = 1_000;
/** Longest wait for the work before one's own at the same source, and for that of other sources. */
const ownWaitMsMax = 5_000;
const waitMsMax = 3_000;
/** Work that runs at once, in all and of one source. */
const limits: Readonly<Record<PasswordWork, { readonly limit: number; readonly quotaPerKey: number }>> = {
  find: { limit: 1, quotaPerKey: 1 },
  hash: { limit: 1, quotaPerKey: 1 },
  bind: { limit: 16, quotaPerKey: 4 },
};

function createWorkQueue(kind: PasswordWork, commonMax = waitingMax) {
  const { limit, quotaPerKey } = limits[kind];
  // A source enters the common queue with `quotaPerKey` pieces of work at a time, so that sources are served fairly.
  const own = new Semaphore({
    limit: Infinity,
    quotaPerKey,
    queueMax: 1_000,
    queueMaxPerKey: waitingMax,
    refuse,
  });
  const common = new Semaphore({ limit, queueMax: commonMax, refuse });
  return <T>(source: string, check: () => Promise<T>): Promise<T> =>
    own.run(() => common.run(check, { timeoutMs: waitMsMax }), { key: source, timeoutMs: ownWaitMsMax });
}

function createPasswordQueue(lookUpsMax?: number): PasswordQueue {
  const queues = {
    find: createWorkQueue('find', lookUpsMax),
    hash: createWorkQueue('hash'),
    bind: createWorkQueue('bind'),
  };
  return { run: (kind, source, check) => queues[kind](source, check) };
}

/**
 * Creates the queues of one gateway. Guesses from new addresses cannot delay those who sign in from an address that was
 * used before, since either queue has a look-up and a hash of its own; the sources of one queue are served fairly.
 */
export function createPasswordQueues(): PasswordQueues {
  return { known: createPasswordQueue(waitingMaxOfKnown), other: createPasswordQueue() };
}
