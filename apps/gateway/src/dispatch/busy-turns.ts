import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Number of calls that ask the workers again at the same time, of those with one key. */
const askingMax = 4;
const waitingMax = 2_048;

/** Waits for the turn of a call, which keeps it until it ends. Throws BusyError when there is none within `msMax`. */
export type WaitForTurn = (key: string, msMax: number, signal?: AbortSignal) => Promise<void>;

export interface BusyTurns {
  /** Runs a call, and ends the turn that the call has waited for. */
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
      let heldKey: string | null = null;
      try {
        return await call(async (key, timeoutMs, signal) => {
          if (heldKey === key) return;
          if (heldKey !== null) turns.release(heldKey);
          heldKey = null;
          await turns.acquire({ key, timeoutMs, signal });
          heldKey = key;
        });
      } finally {
        if (heldKey !== null) turns.release(heldKey);
      }
    },
  };
}
