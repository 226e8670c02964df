import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** The first delay before a call that was answered "busy" is sent again, and the longest one, in milliseconds. */
const firstBusyMs = 20;
const busyMsMax = 320;
/** Number of calls that ask the workers again at the same time, of those with one key. */
const askingMax = 4;
const waitingMax = 2_048;
/**
 * Time after which a call that asks has its turn no more, in milliseconds. Workers refuse a call within a fraction of
 * it: one that they have not refused runs, or waits there for its repository, perhaps for an hour.
 */
const turnMsMax = 1_000;

/** Returns the delay in milliseconds before a retry after a busy answer: exponential in `attempt`, with jitter. */
export function busyWaitMs(attempt: number): number {
  const limit = Math.min(busyMsMax, firstBusyMs * 2 ** Math.min(attempt, 10));
  return limit / 2 + Math.random() * (limit / 2);
}

/** Waits for the turn of a call to ask once more. Throws BusyError when there is none within `msMax`. */
export type WaitForTurn = (key: string, msMax: number, signal?: AbortSignal) => Promise<void>;

export interface BusyTurns {
  /** Runs a call, with the function that waits for its turns, and ends the last of them. */
  run<T>(call: (waitForTurn: WaitForTurn) => Promise<T>): Promise<T>;
}

/**
 * Creates the turns of calls that workers have answered "busy". Where slots are held long, a hundred calls that each ask
 * again a few times a second would cost more than the work: a few ask, and the others wait here, first come, first
 * served.
 */
export function createBusyTurns(): BusyTurns {
  const turns = new Semaphore({
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
        turns.release(held.key);
        held = null;
      };
      try {
        return await call(async (key, timeoutMs, signal) => {
          if (held?.key === key) return void held.timer.refresh();
          release();
          await turns.acquire({ key, timeoutMs, signal });
          held = { key, timer: setTimeout(release, turnMsMax) };
        });
      } finally {
        release();
      }
    },
  };
}
