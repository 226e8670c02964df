import { withTimeout } from './waits.ts';

interface BatchLimits {
  readonly bytesMax: number;
  /** Time for which a piece waits for others, in milliseconds. */
  readonly msMax: number;
}

/** Joins the pieces of a source that come soon after each other: programs that make packs give small ones. */
export async function* batched(
  source: AsyncIterable<Uint8Array>,
  { bytesMax, msMax }: BatchLimits,
): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const begin = () => {
    const step = pieces.next();
    // Its error is for the step that waits for it; there may be none.
    step.catch(() => {});
    return step;
  };
  let step = begin();
  try {
    for (;;) {
      let piece: IteratorResult<Uint8Array> | null = await step;
      const until = performance.now() + msMax;
      const batch: Uint8Array[] = [];
      let bytes = 0;
      while (piece && piece.done !== true) {
        batch.push(piece.value);
        bytes += piece.value.length;
        step = begin();
        piece = bytes < bytesMax ? await withTimeout(step, Math.max(0, until - performance.now()), () => null) : null;
      }
      if (bytes > 0) yield Buffer.concat(batch, bytes);
      if (piece?.done === true) return;
    }
  } finally {
    await pieces.return?.();
  }
}
