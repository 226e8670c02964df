import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InvalidRequestError } from '@trunkline/contracts';
import { takeOverTimeLimit } from '../http/limit-arrival.ts';
import { BodyTooLargeError, ClientGoneError, type LowestRate } from '../http/read-body.ts';

export interface BodyLimits {
  /** Bytes of the body, as sent and as decoded. */
  readonly bytesMax: number;
  /** How many decoded bytes may come of one that was sent, beyond `ratioFreeBytes`. */
  readonly ratioMax: number;
  readonly ratioFreeBytes: number;
  /** Time in which the whole body has to arrive. */
  readonly msMax: number;
  /** Time in which its first byte has to arrive. */
  readonly firstByteMsMax: number;
  /** Rate at which it has to arrive while it is read. */
  readonly lowestRate: LowestRate;
}

/** A fetch sends what it wants and has: 50 bytes for each commit. */
export const bodyLimits: BodyLimits = {
  bytesMax: 32 * 1024 * 1024,
  ratioMax: 200,
  ratioFreeBytes: 1024 * 1024,
  msMax: 300_000,
  firstByteMsMax: 10_000,
  lowestRate: { bytes: 10 * 1024, intervalMs: 10_000 },
};

const decoders: Readonly<Record<string, () => Transform>> = {
  identity: () => new PassThrough(),
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
};

function tooSlow(): InvalidRequestError {
  return new InvalidRequestError('Request body arrives too slowly');
}

/** Counts a body as it arrives, and fails its decoder when it breaks a limit. */
class Arrival {
  received = 0;
  readonly #incoming: IncomingMessage;
  readonly #decoder: Transform;
  readonly #timers: NodeJS.Timeout[];
  readonly #giveBackTimeLimit: () => void;
  #receivedBefore = 0;
  #unwantedMs = 0;
  #unwantedSince: number | null = null;

  constructor(incoming: IncomingMessage, decoder: Transform, { msMax, firstByteMsMax, lowestRate }: BodyLimits) {
    this.#incoming = incoming;
    this.#decoder = decoder;
    this.#giveBackTimeLimit = takeOverTimeLimit(incoming);
    const late = setTimeout(() => decoder.destroy(tooSlow()), msMax);
    // Only after a turn of the event loop, which reads what has arrived while the loop was late.
    const first = setTimeout(() => setImmediate(() => this.#checkFirstByte()), firstByteMsMax);
    const check = setInterval(() => setImmediate(() => this.#checkRate(lowestRate)), lowestRate.intervalMs);
    this.#timers = [late, first, check];
    incoming.on('data', this.#count).once('error', this.#leave).once('close', this.#leave);
    incoming.pipe(decoder);
    if (incoming.destroyed) this.#leave();
  }

  /** Stops counting the time, as nobody reads now: the client is not asked for its rate meanwhile. */
  pause(): void {
    this.#unwantedSince = performance.now();
  }

  resume(): void {
    this.#unwantedMs += performance.now() - (this.#unwantedSince ?? performance.now());
    this.#unwantedSince = null;
  }

  /** May be called again. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#incoming.off('data', this.#count).off('error', this.#leave).off('close', this.#leave);
    this.#incoming.unpipe(this.#decoder).pause();
    this.#decoder.on('error', () => {}).destroy();
    this.#giveBackTimeLimit();
  }

  readonly #count = (chunk: Buffer) => void (this.received += chunk.length);

  readonly #leave = () => {
    if (!this.#incoming.complete) this.#decoder.destroy(new ClientGoneError('the client closed the connection'));
  };

  #checkFirstByte(): void {
    if (this.received > 0 || this.#incoming.complete) return;
    this.#decoder.destroy(new InvalidRequestError('Request body has not arrived'));
  }

  #checkRate({ bytes, intervalMs }: LowestRate): void {
    if (this.#unwantedSince !== null) {
      this.resume();
      this.pause();
    }
    const isAsked = this.#unwantedMs < intervalMs / 2;
    if (isAsked && !this.#incoming.complete && this.received - this.#receivedBefore < bytes) {
      this.#decoder.destroy(tooSlow());
    }
    this.#receivedBefore = this.received;
    this.#unwantedMs = 0;
  }
}

async function* decoded(
  decoder: Transform,
  arrival: Arrival,
  { bytesMax, ratioMax, ratioFreeBytes }: BodyLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      bytes += piece.length;
      const isBomb = bytes > ratioFreeBytes && bytes > ratioMax * arrival.received;
      if (bytes > bytesMax || isBomb) throw new BodyTooLargeError(bytesMax);
      arrival.pause();
      yield piece;
      arrival.resume();
    }
  } catch (error) {
    const isOfZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isOfZlib ? new InvalidRequestError('Request body is not valid gzip', { cause: error }) : error;
  } finally {
    arrival.end();
  }
}

/** The decoded body of a request. */
export interface OpenBody {
  /** Throws an InvalidRequestError that says which limit the body breaks, or a ClientGoneError. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Leaves the rest of the body in the request; to be called in every case. */
  end(): void;
}

/** Opens the body of a request, within limits of size and time; throws an InvalidRequestError for one that is refused. */
export function openBody(incoming: IncomingMessage, limits = bodyLimits): OpenBody {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!create) throw new InvalidRequestError('Content-Encoding is not supported');
  if (Number(incoming.headers['content-length'] ?? 0) > limits.bytesMax) throw new BodyTooLargeError(limits.bytesMax);
  const decoder = create();
  const arrival = new Arrival(incoming, decoder, limits);
  return { pieces: decoded(decoder, arrival, limits), end: () => arrival.end() };
}
