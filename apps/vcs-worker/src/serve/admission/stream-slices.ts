import { setImmediate, clearImmediate } from 'node:timers';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { VcsError } from '../../vcs/vcs-error.ts';

export interface SliceLimits {
  /** Number of streams that compute at once; one caller has half of them at most. */
  readonly permits: number;
  /** Bytes after which a time slice ends: several times what the pipe of a process holds, which is computed beforehand. */
  readonly sliceBytes?: number;
  /** Time after which a time slice ends, in milliseconds. */
  readonly sliceMs?: number;
}

interface Reading {
  readonly caller: string;
  readonly signal: AbortSignal;
}

const sliceBytesDefault = 512 * 1024;
const sliceMsDefault = 100;

/** The time slices of one stream: it has a permit while its source computes what the reader waits for. */
class Slices {
  readonly #permits: Semaphore;
  readonly #caller: string;
  readonly #bytesMax: number;
  readonly #msMax: number;
  #isHeld = false;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #unread: NodeJS.Immediate | undefined;

  constructor(permits: Semaphore, caller: string, bytesMax: number, msMax: number) {
    this.#permits = permits;
    this.#caller = caller;
    this.#bytesMax = bytesMax;
    this.#msMax = msMax;
  }

  /** Goes on with a time slice, or waits for the next one. */
  async begin(signal: AbortSignal): Promise<void> {
    clearImmediate(this.#unread);
    if (this.#isHeld) return;
    await this.#permits.acquire({ caller: this.#caller, signal });
    this.#isHeld = true;
    this.#bytes = 0;
    this.#timer = setTimeout(() => this.end(), this.#msMax);
  }

  /** Counts a piece that was read; the time slice ends when this was its last piece, or the reader wants no more now. */
  took(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= this.#bytesMax) this.end();
    else this.#unread = setImmediate(() => this.end());
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#unread);
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#permits.release(null, this.#caller);
  }
}

/**
 * Lets as many streams of commands compute at once as have permits. The kernel suspends a command whose output nobody
 * reads, so a stream that waits for its time slice, or for its reader, uses no processor time. Callers have slices by turns.
 */
export class StreamSlices {
  readonly #limits: Required<SliceLimits>;
  readonly #permits: Semaphore;

  constructor(limits: SliceLimits) {
    this.#limits = { sliceBytes: sliceBytesDefault, sliceMs: sliceMsDefault, ...limits };
    this.#permits = new Semaphore({
      limit: limits.permits,
      quotaPerCaller: Math.max(1, Math.floor(limits.permits / 2)),
      // Each stream keeps the slot of its call, so that those of the lanes bound how many wait.
      queueMax: Infinity,
      refuse: (reason) => new VcsError('cancelled', `no time slice of a stream: ${reason}`),
    });
  }

  get computing(): number {
    return this.#permits.held;
  }

  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Returns a source whose pieces are read in time slices of its caller. The signal ends a wait for one. */
  of(source: AsyncIterable<Uint8Array>, { caller, signal }: Reading): AsyncIterable<Uint8Array> {
    const { sliceBytes, sliceMs } = this.#limits;
    return {
      [Symbol.asyncIterator]: () => {
        const pieces = source[Symbol.asyncIterator]();
        const slices = new Slices(this.#permits, caller, sliceBytes, sliceMs);
        const left = new AbortController();
        return iteratorInSlices(pieces, slices, left, AbortSignal.any([signal, left.signal]));
      },
    };
  }
}

/** Not a generator: the `return` of one would wait for a step that is pending. */
function iteratorInSlices(
  pieces: AsyncIterator<Uint8Array>,
  slices: Slices,
  left: AbortController,
  signal: AbortSignal,
): AsyncIterator<Uint8Array> {
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    left.abort();
    slices.end();
    return (await pieces.return?.()) ?? { done: true, value: undefined };
  };
  const next = async () => {
    try {
      await slices.begin(signal);
      const piece = await pieces.next();
      slices.took(piece.done === true ? Infinity : piece.value.length);
      return piece;
    } catch (error) {
      // Not awaited: the reader gets the error, even if the source is slow to end.
      end().catch(() => {});
      throw error;
    }
  };
  return { next, return: end };
}
