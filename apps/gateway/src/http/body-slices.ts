import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Bytes of a body that are read in one turn. */
export const turnBytes = 64 * 1024;
/** At this rate, reading and scanning bodies takes about a twentieth of the gateway's event loop. */
const bytesPerSecond = 8 * 1024 * 1024;
const turnMsDefault = (turnBytes / bytesPerSecond) * 1_000;
/** Bodies that wait, in all and of one address. */
const queueMax = 1_024;
const queueMaxPerCaller = queueMax / 4;

export interface Turn {
  /** Address of the client, as `sourceOf` returns it: addresses take turns, whatever the number of their bodies. */
  readonly source: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits for the next turn of a body; throws BusyError if there is none. */
export type TakeTurn = (turn: Turn) => Promise<void>;

/** Creates the turns in which all bodies of a gateway are read that have no good key, or that are discarded. */
export function createBodyTurns(turnMs = turnMsDefault): TakeTurn {
  const refuse = () => new BusyError({ quota: 'bodies' });
  const turns = new Semaphore({ limit: 1, queueMax, queueMaxPerCaller, refuse });
  return async ({ source, timeoutMs, signal }) => {
    await turns.acquire({ caller: source, timeoutMs, signal });
    setTimeout(() => turns.release(null, source), turnMs).unref();
  };
}
