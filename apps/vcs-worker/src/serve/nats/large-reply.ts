/**
 * An answer that is too large for a message, or of unknown length. Reading starts the source; its `return` has to be called
 * at the end, also when nothing was read.
 */
export interface LargeReply {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Length in bytes; null when it is not known. */
  readonly bytes: number | null;
  /** Ends the answer, and that of the client with it, once it is aborted. */
  readonly signal: AbortSignal;
}

/** How a stream has ended: with the error of its source, or with none, and after how much work of the source. */
export type Ended = (error: unknown, workMs: number) => void;

/**
 * Calls `ended` once: when the source has ended or failed, or is left, even if nothing was read. A source that is left
 * ends when the page that it is reading has been read.
 */
export function watched(source: AsyncGenerator<Uint8Array>, ended: Ended): AsyncIterable<Uint8Array> {
  let isOpen = true;
  let workMs = 0;
  const end = (error: unknown) => {
    if (isOpen) ended(error, workMs);
    isOpen = false;
  };
  // Not a generator, since a generator that was never started does not run its `finally`.
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const began = performance.now();
    try {
      const piece = await source.next();
      workMs += performance.now() - began;
      if (piece.done === true) end(null);
      return piece;
    } catch (error) {
      workMs += performance.now() - began;
      end(error);
      throw error;
    }
  };
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      await source.return(undefined);
    } finally {
      end(null);
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}
