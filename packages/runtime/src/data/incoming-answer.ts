import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { answerBufferBytes, DataError, endTrailer } from './data-protocol.ts';

/**
 * The body of an answer. It ends only when the answer was complete, and fails with a DataError otherwise. Not a stream
 * through which the response is piped, which would hold twice as much for every reader that is slow.
 */
class AnswerBody extends Readable {
  readonly #response: IncomingMessage;
  #bytesLeft: number;

  constructor(response: IncomingMessage, bytesMax: number) {
    super({ highWaterMark: answerBufferBytes });
    this.#response = response;
    this.#bytesLeft = bytesMax;
    const cut = (error?: Error) => this.destroy(new DataError('cut', error));
    response.on('data', this.#take).once('end', () => {
      if (response.trailers[endTrailer.toLowerCase()] === 'ok') this.push(null);
      else cut();
    });
    response.once('error', cut).once('close', () => {
      if (!response.complete) cut();
    });
  }

  override _read(): void {
    this.#response.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const response = this.#response.off('data', this.#take);
    // The rest of a complete answer is read, so that its connection serves the next one.
    if (response.complete) response.resume();
    else response.destroy();
    done(error);
  }

  readonly #take = (piece: Uint8Array): void => {
    this.#bytesLeft -= piece.length;
    if (this.#bytesLeft < 0) this.destroy(new DataError('too-large'));
    else if (!this.push(piece)) this.#response.pause();
  };
}

/** Returns the body of a response; the connection is closed when the body is destroyed before its end. */
export function receiveAnswer(response: IncomingMessage, bytesMax: number): Readable {
  // The connection may be lost before there is a reader; one that comes later gets the error.
  return new AnswerBody(response, bytesMax).on('error', () => {});
}
