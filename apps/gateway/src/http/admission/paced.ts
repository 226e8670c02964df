import type { ServerResponse } from 'node:http';
import { Transform } from 'node:stream';

/** Waits until the next bytes of a response may be sent; null when they may be sent at once. */
export type Pace = (bytes: number) => Promise<void> | null;

const paces = new WeakMap<ServerResponse, Pace>();

export function setPace(outgoing: ServerResponse, pace: Pace): void {
  paces.set(outgoing, pace);
}

/** Returns a step of a pipeline that passes the pieces of a long response on at the pace that was set for it. */
export function paced(outgoing: ServerResponse, noteSent: (bytes: number) => void = () => {}): Transform {
  const pace = paces.get(outgoing);
  return new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      noteSent(piece.length);
      const wait = pace?.(piece.length) ?? null;
      if (wait === null) done(null, piece);
      else wait.then(() => done(null, piece), done);
    },
  });
}
