const probeBytes = 8_000;

/** What git takes for a binary file: a NUL near the beginning. */
export function looksBinary(beginning: Uint8Array): boolean {
  return beginning.subarray(0, probeBytes).includes(0);
}

/** What is short in one piece. */
export async function allOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * The beginning of a stream, and the whole of it, beginning included; short content comes in one piece. Who reads the
 * whole no further, or not at all, is to call its iterator's `return`.
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly beginning: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  const beginning = first.done === true ? new Uint8Array() : first.value;
  let begun = false;
  const whole: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (begun) return pieces.next();
      begun = true;
      return first.done === true ? first : { done: false, value: beginning };
    },
    async return() {
      await pieces.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => whole,
  };
  return { beginning, whole };
}
