import { withTimeout } from '@trunkline/runtime/concurrency';

interface BeginningLimits {
  readonly bytesMax: number;
  readonly msMax: number;
}

type Piece = IteratorResult<Uint8Array>;

/** Yields what was read of a source, then what the step that is pending gives, then the rest. */
function resumed(
  read: readonly Uint8Array[],
  pending: Promise<Piece> | null,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const left = [...read];
  let step = pending;
  const next = (): Promise<Piece> => {
    const value = left.shift();
    if (value) return Promise.resolve({ done: false, value });
    const due = step ?? rest.next();
    step = null;
    return due;
  };
  const end = async (): Promise<Piece> => (await rest.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/**
 * Reads the beginning of a source. Returns all of it when it is short and ends soon; otherwise the whole source again,
 * which the caller has to read or to end.
 */
export async function readBeginning(
  source: AsyncIterable<Uint8Array>,
  { bytesMax, msMax }: BeginningLimits,
): Promise<Buffer | AsyncIterable<Uint8Array>> {
  const pieces = source[Symbol.asyncIterator]();
  const until = performance.now() + msMax;
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const step = pieces.next();
    const piece = await withTimeout(step, Math.max(0, until - performance.now()), () => null);
    if (piece === null) {
      // Its error is for a reader that goes on, and there may be none.
      step.catch(() => {});
      return resumed(read, step, pieces);
    }
    if (piece.done === true) return Buffer.concat(read, bytes);
    read.push(piece.value);
    bytes += piece.value.length;
    if (bytes > bytesMax) return resumed(read, null, pieces);
  }
}
