import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { DataError } from './data-error.ts';
import { endTrailer } from './data-hmacs.ts';

/** The body of an answer. It ends only when the answer was complete, and fails with a DataError otherwise. */
class AnswerBody extends Transform {
  readonly #response: IncomingMessage;
  #bytesLeft: number;

  constructor(response: IncomingMessage, bytesMax: number) {
    super();
    this.#response = response;
    this.#bytesLeft = bytesMax;
  }

  override _transform(piece: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytesLeft -= piece.length;
    if (this.#bytesLeft < 0) done(new DataError('too-large'));
    else done(null, piece);
  }

  override _flush(done: TransformCallback): void {
    const isComplete = this.#response.trailers[endTrailer.toLowerCase()] === 'ok';
    done(isComplete ? null : new DataError('cut'));
  }
}

/** Returns the body of a response; the connection is closed when the body is destroyed before its end. */
export function receiveAnswer(response: IncomingMessage, bytesMax: number): Transform {
  const body = new AnswerBody(response, bytesMax);
  response.once('error', (error) => body.destroy(new DataError('cut', error)));
  body.once('close', () => {
    if (!response.complete) response.destroy();
  });
  // Nobody may be listening yet when the connection is lost; who reads the body is told.
  body.on('error', () => {});
  return response.pipe(body);
}
