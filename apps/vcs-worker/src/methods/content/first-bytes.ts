const probeBytes = 8_000;

/** Returns whether git would call a file binary: there is a NUL near the beginning. */
export function looksBinary(beginning: Uint8Array): boolean {
  return beginning.subarray(0, probeBytes).includes(0);
}

/**
 * Reads the first piece of a stream; returns it and the whole stream, this piece included. Short content comes in one
 * piece. A caller that does not read `whole` to its end must call its iterator's `return`.
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
