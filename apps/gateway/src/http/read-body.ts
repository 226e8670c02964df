import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';
import { BodyBytes } from './body-bytes.ts';

/** Error of a body beyond the limit; the rest of it is unread, so the response has to drain or close the connection. */
export class BodyTooLargeError extends InvalidRequestError {
  constructor(bytesMax: number, text = `Request body is too large (limit ${bytesMax} bytes)`) {
    super(text);
  }
}

/** Error of a connection that closed before the request was complete: no response is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** The lowest rate at which a body may arrive. */
export interface LowestRate {
  readonly bytes: number;
  readonly intervalMs: number;
}

export interface ReadOptions {
  readonly bytesMax: number;
  readonly lowestRate: LowestRate;
  /**
   * Is called with what has arrived, after each chunk but the last. Nothing is read until a promise that it returns is
   * fulfilled; an error ends the reading.
   */
  readonly onBytes: (body: BodyBytes) => Promise<void> | null;
}

/**
 * Reads the whole body; throws BodyTooLargeError by Content-Length or the bytes received, InvalidRequestError when it
 * arrives too slowly, and ClientGoneError. A body that is given up is freed at once.
 */
export function readBody(incoming: IncomingMessage, { bytesMax, lowestRate, onBytes }: ReadOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(bytesMax);
    let bytesBefore = 0;
    let timer: NodeJS.Timeout | undefined;
    let isSettled = false;
    let isPaused = false;
    const stop = (error: unknown) => {
      if (isSettled) return;
      isSettled = true;
      clearInterval(timer);
      incoming.off('data', take);
      incoming.pause();
      body.clear();
      reject(error);
    };
    const leave = (cause?: Error) => {
      // Every request closes after its end: no Error is made for those that have succeeded.
      if (!isSettled) stop(new ClientGoneError('the client closed the connection', { cause }));
    };
    const take = (chunk: Buffer) => {
      if (body.length + chunk.length > bytesMax) return stop(new BodyTooLargeError(bytesMax));
      try {
        body.append(chunk);
        const ready = onBytes(body);
        if (ready) pauseUntil(ready);
      } catch (error) {
        stop(error);
      }
    };
    const pauseUntil = (ready: Promise<void>) => {
      isPaused = true;
      incoming.pause();
      void ready.then(() => {
        isPaused = false;
        // The client's rate is counted from now on.
        bytesBefore = -Infinity;
        if (!isSettled) incoming.resume();
      }, stop);
    };
    const checkRate = () => {
      if (isSettled) return;
      if (!isPaused && body.length - bytesBefore < lowestRate.bytes) {
        stop(new InvalidRequestError('Request body arrives too slowly'));
      }
      bytesBefore = body.length;
    };
    incoming.on('error', leave);
    // A connection that closed before this listener was there has no error event any more.
    if (incoming.destroyed) return leave();
    if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return stop(new BodyTooLargeError(bytesMax));
    // Only after a turn of the event loop, which reads what has arrived while the loop was late.
    timer = setInterval(() => setImmediate(checkRate), lowestRate.intervalMs);
    incoming.on('data', take);
    incoming.on('close', () => leave());
    incoming.on('end', () => {
      try {
        resolve(body.value);
        isSettled = true;
        clearInterval(timer);
      } catch (error) {
        stop(error);
      }
    });
  });
}
