import type { ServerResponse } from 'node:http';

/** Waits until the next bytes of a response may be sent; null when they may be sent at once. */
export type Pace = (bytes: number) => Promise<void> | null;

const paces = new WeakMap<ServerResponse, Pace>();

export function setPace(outgoing: ServerResponse, pace: Pace): void {
  paces.set(outgoing, pace);
}

/**
 * Returns a step of a pipeline that passes the pieces of a long response on at the pace that was set for it. Not a stream,
 * which would hold a piece at each of its ends for every client that reads slowly.
 */
export function paced(
  outgoing: ServerResponse,
  noteSent: (bytes: number) => void = () => {},
): (pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  const pace = paces.get(outgoing);
  return async function* (pieces) {
    for await (const piece of pieces) {
      await pace?.(piece.length);
      noteSent(piece.length);
      yield piece;
    }
  };
}
