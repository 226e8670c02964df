import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

const grownBytesMin = 4 * 1024;

/**
 * The bytes of a body that have arrived. Chunks are copied together, since a Buffer for each chunk of a single byte
 * would take a hundred times the memory.
 */
export class BodyBytes {
  readonly #bytesMax: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that are held, at most twice the length. */
  get held(): number {
    return this.#buffer.length;
  }

  get value(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#growTo(length);
      this.#buffer.set(chunk, this.#length);
    }
    this.#length = length;
  }

  #growTo(length: number): void {
    const capacity = Math.min(Math.max(2 * length, grownBytesMin), Math.max(length, this.#bytesMax));
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.value);
    this.#buffer = larger;
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }
}

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
