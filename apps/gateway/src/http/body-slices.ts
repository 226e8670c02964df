import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Bytes of a body that are read in one slice of time. */
export const sliceBytes = 64 * 1024;
/** At this rate, reading and scanning bodies takes about a twentieth of the gateway's event loop. */
const bytesPerSecond = 8 * 1024 * 1024;
const sliceMsDefault = (sliceBytes / bytesPerSecond) * 1_000;
/** Bodies that wait, in all and of one address. */
const queueMax = 1_024;
const queueMaxPerCaller = queueMax / 4;

export interface Slice {
  /** Address of the client, as `sourceOf` returns it: the queue is fair to addresses, whatever the number of their bodies. */
  readonly source: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits for the next slice of a body; throws BusyError if there is none. */
export type TakeSlice = (slice: Slice) => Promise<void>;

/** Creates the slices in which all bodies of a gateway are read that have no good key, or that are discarded. */
export function createBodySlices(sliceMs = sliceMsDefault): TakeSlice {
  const refuse = () => new BusyError({ quota: 'bodies' });
  const slices = new Semaphore({ limit: 1, queueMax, queueMaxPerCaller, refuse });
  return async ({ source, timeoutMs, signal }) => {
    await slices.acquire({ caller: source, timeoutMs, signal });
    setTimeout(() => slices.release(null, source), sliceMs).unref();
  };
}
