import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Bytes of a body that are read in one turn. */
export const turnBytes = 64 * 1024;
/** At this rate, reading and scanning bodies takes about a twentieth of the gateway's event loop. */
const bytesPerSecond = 8 * 1024 * 1024;
const turnMsDefault = (turnBytes / bytesPerSecond) * 1_000;
/** The budget of bodies bounds the number of those that wait, too. */
const waitingMax = 1024;

export interface Turn {
  /** Address of the client, as `sourceOf` returns it: addresses take turns, whatever the number of their bodies. */
  readonly source: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Returns a function that waits for the next turn of a body without a good key; throws BusyError if there is none. */
export function createBodyTurns(turnMs = turnMsDefault): (turn: Turn) => Promise<void> {
  const turns = new Semaphore({ limit: 1, queueMax: waitingMax, refuse: () => new BusyError() });
  return async ({ source, timeoutMs, signal }) => {
    await turns.acquire({ caller: source, timeoutMs, signal });
    setTimeout(() => turns.release(null, source), turnMs).unref();
  };
}
