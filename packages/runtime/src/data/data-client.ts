import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { DataOffer } from '@trunkline/contracts';
import { Semaphore } from '../concurrency/semaphore.ts';
import { withTimeout } from '../concurrency/waits.ts';
import {
  dataBufferBytes,
  DataError,
  type DataVault,
  endTrailer,
  hmacHeader,
  isSignedData,
  signData,
} from './data-protocol.ts';
import { receiveAnswer } from './incoming-answer.ts';
import { dataAddressResolver, type DataTarget } from './resolve-data-address.ts';

const headBytesMax = 16_384;
const idleMsDefault = 60_000;
const totalMsDefault = 3_600_000;
const limitsOfStreams = { limit: 1_024, perPort: 512 };
/** Of their own: clones and pushes would else leave nothing for the answers of calls, which are short. */
const limitsOfAnswers = { limit: 256, perPort: 128 };
/** One caller has at most this part of each. */
const callerPart = 1 / 2;
/** Less than the time for which data ports keep a connection without a request. */
const freeSocketMs = 5_000;
const freeSocketsMax = 16;

export interface DataClientOptions {
  /** Networks (CIDR) of the data ports to which connections may be opened. */
  readonly networks: readonly string[];
  /** Certificates (PEM) that are trusted instead of those of Node.js; null for these. */
  readonly ca: string | null;
  readonly vault: DataVault;
  readonly lookUp?: (name: string) => Promise<readonly string[]>;
}

export interface TransferOptions {
  readonly body?: AsyncIterable<Uint8Array>;
  /** Time without a byte in either direction after which the transfer fails. */
  readonly idleMs?: number;
  /** Time for the whole transfer. */
  readonly totalMs?: number;
  /** Maximum bytes of the answer. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
  /** The caller whose share of the transfers this one counts towards; none when absent. */
  readonly caller?: string;
  /** Whether this is the large answer of a call, which counts apart from all other transfers. */
  readonly isAnswer?: boolean;
}

export interface DataAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Ends only when the answer was complete; the reader has to read or destroy it. */
  readonly body: Readable;
}

function transferPermits({ limit, perPort }: typeof limitsOfStreams): Semaphore {
  return new Semaphore({
    limit,
    quotaPerKey: perPort,
    quotaPerCaller: limit * callerPart,
    quotaPerCallerOfKey: perPort * callerPart,
    refuse: () => new DataError('busy'),
  });
}

/** Opens transfers to the data ports of workers, each with an offer that a worker has made. */
export class DataClient {
  readonly #options: DataClientOptions;
  readonly #resolve: (url: string) => Promise<DataTarget>;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: freeSocketsMax, timeout: freeSocketMs });
  readonly #tlsAgent: TlsAgent;
  readonly #streams = transferPermits(limitsOfStreams);
  readonly #answers = transferPermits(limitsOfAnswers);

  constructor(options: DataClientOptions) {
    this.#options = options;
    this.#resolve = dataAddressResolver(options.networks, options.lookUp);
    const ca = options.ca === null ? {} : { ca: options.ca };
    this.#tlsAgent = new TlsAgent({ keepAlive: true, maxFreeSockets: freeSocketsMax, timeout: freeSocketMs, ...ca });
  }

  /** Returns whether a worker with the same secret has made this offer in its answer to this request. */
  isSigned(offer: DataOffer, requestId: string): boolean {
    return isSignedData(this.#options.vault, 'offer', { offer, requestId, hmac: offer.hmac });
  }

  /**
   * Makes the transfer that a worker has offered in its answer to this request. Resolves when the answer begins; throws
   * DataError, before anything is connected when the offer is not signed or its address is not allowed.
   */
  async transfer(offer: DataOffer, requestId: string, options: TransferOptions = {}): Promise<DataAnswer> {
    const { vault } = this.#options;
    if (!this.isSigned(offer, requestId)) throw new DataError('forged');
    const { address: key } = offer;
    const { caller = null, isAnswer = false } = options;
    const permits = isAnswer ? this.#answers : this.#streams;
    await permits.acquire({ key, caller });
    const release = () => permits.release(key, caller);
    let request: ClientRequest;
    try {
      const target = await withTimeout(this.#resolve(offer.address), offer.expiresMs, () => {
        throw new DataError('unknown-host');
      });
      if (options.signal?.aborted) throw new DataError('cancelled', options.signal.reason);
      request = this.#open(target, offer, signData(vault, 'ticket', offer, requestId), options);
    } catch (error) {
      release();
      throw error;
    }
    request.once('close', release);
    return receive(request, offer.expiresMs, options);
  }

  /** Closes the connections that no transfer uses. */
  close(): void {
    this.#agent.destroy();
    this.#tlsAgent.destroy();
  }

  #open(target: DataTarget, { ticket }: DataOffer, hmac: string, { idleMs = idleMsDefault }: TransferOptions) {
    const { isTls, address, port, authority, name } = target;
    const common = {
      host: address,
      port,
      method: 'POST',
      path: `/data/${ticket}`,
      headers: { Host: authority, [hmacHeader]: hmac },
      timeout: idleMs,
      maxHeaderSize: headBytesMax,
      highWaterMark: dataBufferBytes,
    };
    if (!isTls) return httpRequest({ ...common, agent: this.#agent });
    return tlsRequest({ ...common, agent: this.#tlsAgent, ...(name !== null && { servername: name }) });
  }
}

/** Sends the body as fast as the worker takes it. */
async function send(request: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  let proceed = (): void => {};
  request.on('drain', () => proceed()).on('close', () => proceed());
  // A worker waits for the head of a request for a short time; the body may take longer to begin.
  request.flushHeaders();
  for await (const piece of body) {
    if (request.destroyed) return;
    if (!request.write(piece)) await new Promise<void>((resolve) => (proceed = resolve));
  }
  request.end();
}

/** Sends the body and waits for the answer; a failure at any time destroys the connection and the answer's body. */
function receive(request: ClientRequest, connectMs: number, options: TransferOptions): Promise<DataAnswer> {
  const { body, totalMs = totalMsDefault, bytesMax = Infinity, signal } = options;
  return new Promise((resolve, reject) => {
    let answer: Readable | undefined;
    let isComplete = () => false;
    const fail = (error: Error) => {
      answer?.destroy(error);
      reject(error);
      request.destroy();
    };
    const abort = () => fail(new DataError('cancelled', signal?.reason));
    const total = setTimeout(() => fail(new DataError('late')), totalMs);
    const connecting = setTimeout(() => fail(new DataError('unreachable')), connectMs);
    signal?.addEventListener('abort', abort, { once: true });
    let isConnected = false;
    const connected = () => {
      isConnected = true;
      clearTimeout(connecting);
    };
    request.once('socket', (socket) => {
      if (!socket.connecting) connected();
      // A TLS connection is refused or accepted after the handshake.
      else socket.once('secureConnect', connected).once('connect', () => 'encrypted' in socket || connected());
    });
    request.on('timeout', () => fail(new DataError('idle')));
    request.on('error', (error) => {
      // A worker may answer before it has read the body.
      if (!isComplete()) fail(new DataError(isConnected ? 'cut' : 'unreachable', error));
    });
    request.once('response', (response) => {
      // Only the answer of a handler announces how it ends.
      if (response.headers.trailer !== endTrailer) return fail(new DataError('refused'));
      answer = receiveAnswer(response, bytesMax);
      isComplete = () => response.complete;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
    });
    request.once('close', () => {
      clearTimeout(total);
      clearTimeout(connecting);
      signal?.removeEventListener('abort', abort);
      reject(new DataError('cut'));
    });
    if (body) send(request, body).catch((error: unknown) => fail(new DataError('cut', error)));
    else request.end();
  });
}

const checkMsMax = 10_000;

/** Sends some bytes to a data port and expects them back; throws DataError, and another error for other bytes. */
export async function checkDataPort(
  client: Pick<DataClient, 'transfer'>,
  offer: DataOffer,
  requestId: string,
): Promise<void> {
  const sent = randomBytes(32);
  const body = (async function* () {
    yield sent;
  })();
  const answer = await client.transfer(offer, requestId, { body, totalMs: checkMsMax, bytesMax: sent.length });
  if (!(await buffer(answer.body)).equals(sent)) throw new Error('other bytes came back');
}
