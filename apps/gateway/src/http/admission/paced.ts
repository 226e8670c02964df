import type { ServerResponse } from 'node:http';
import { Transform } from 'node:stream';

/** Waits until the next bytes of a response may be sent; null when they may be sent at once. */
export type Pace = (bytes: number) => Promise<void> | null;

const paces = new WeakMap<ServerResponse, Pace>();

export function setPace(outgoing: ServerResponse, pace: Pace): void {
  paces.set(outgoing, pace);
}

/**
 * Returns a step of a pipeline that passes the pieces of a long response on at the pace that was set for it. What the pace
 * throws is an error of the pipeline: uncaught, it would end the process.
 */
export function paced(outgoing: ServerResponse, countSent: (bytes: number) => void = () => {}): Transform {
  const pace = paces.get(outgoing);
  return new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      let wait: Promise<void> | null;
      try {
        countSent(piece.length);
        wait = pace?.(piece.length) ?? null;
      } catch (error) {
        return done(error instanceof Error ? error : new Error(String(error)));
      }
      if (wait === null) done(null, piece);
      else wait.then(() => done(null, piece), done);
    },
  });
}
