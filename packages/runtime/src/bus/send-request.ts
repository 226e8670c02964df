import { errorHeader, offerHeader } from '@trunkline/contracts';
import type { Msg } from 'nats';
import { BusError, toBusError } from './bus-error.ts';
import type { BusConnection } from './connection.ts';
import type { LargeAnswer } from './large-answer.ts';
import { receiveStream } from './streams-of-0.1/incoming-stream.ts';
import { frameOf, streamLimits } from './streams-of-0.1/stream-link.ts';

/** A worker of 0.1.0 sends a large answer in a stream, others offer it over their data port. */
export type BusReply =
  | { readonly payload: Uint8Array; readonly isError: boolean; readonly isOffer?: boolean }
  | { readonly payload: LargeAnswer; readonly isError: false };

export interface BusRequest {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** Limits the time until the answer begins. */
  readonly timeoutMs: number;
  /** Its abort rejects at once with reason `abandoned`; a later answer is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the answer begins, for a stream before its first bytes; not for an offer, whose answer is yet to come. */
  readonly onBegin?: (() => void) | undefined;
}

/** Status of the server's reply to a request on a subject without a subscriber. */
const noRespondersCode = 503;

/** Returns whether the server says that no process serves the subject. */
function hasNoResponders({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === noRespondersCode;
}

/** One request from its sending until its answer begins. */
class Sending {
  readonly #connection: BusConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #onBegin: (() => void) | undefined;
  readonly #resolve: (reply: BusReply) => void;
  readonly #reject: (error: BusError) => void;
  readonly #release: () => void;
  readonly #timer: NodeJS.Timeout;
  #giveUp = () => {};
  /** Ends the stream that answers, as long as its first bytes have not come. */
  #stream: AbortController | undefined;
  #isOver = false;

  constructor(
    connection: BusConnection,
    { timeoutMs, signal, onBegin }: BusRequest,
    [resolve, reject]: readonly [(reply: BusReply) => void, (error: BusError) => void],
  ) {
    this.#connection = connection;
    this.#signal = signal;
    this.#onBegin = onBegin;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#release = connection.hold();
    signal?.addEventListener('abort', this.#abandon, { once: true });
    this.#timer = setTimeout(() => this.#fail(new BusError('timeout')), timeoutMs);
  }

  /** Sends the request, which is not kept: it may be long. */
  send({ subject, payload }: BusRequest): void {
    const { nc, requests, outbox } = this.#connection;
    try {
      if (nc.isDraining() || nc.isClosed()) throw new BusError('lost');
      if (payload.length > this.#connection.payloadBytesMax) throw new BusError('too-large');
      const { inbox, giveUp } = requests.add({ subject, take: this.#take, fail: this.#fail });
      this.#giveUp = giveUp;
      outbox.publish({
        subject,
        payload,
        options: { reply: inbox },
        onError: (error) => this.#fail(toBusError(error)),
      });
    } catch (error) {
      this.#fail(toBusError(error));
    }
  }

  readonly #take = (message: Msg): void => {
    if (hasNoResponders(message)) return this.#fail(new BusError('no-responders'));
    if (!message.headers?.has(offerHeader)) this.#onBegin?.();
    this.#begin(message);
  };

  /**
   * Takes the answer. A message without headers is a complete result; headers have the code of an error, mark an offer,
   * or have an open frame, which announces a stream.
   */
  #begin(message: Msg): void {
    const { data, headers, reply = '' } = message;
    if (!headers) return this.#succeed({ payload: data, isError: false });
    const frame = frameOf(message);
    if (frame?.kind !== 'open') {
      return this.#succeed({ payload: data, isError: headers.has(errorHeader), isOffer: headers.has(offerHeader) });
    }
    const { link, payloadBytesMax } = this.#connection;
    const { windowBytes } = streamLimits(payloadBytesMax);
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    receiveStream(link, { length: frame.bytes, control: reply, windowBytes, signal }).then(
      (payload) => {
        if (this.#isOver) payload.stream.destroy();
        else this.#succeed({ payload, isError: false });
      },
      (error: unknown) => this.#fail(toBusError(error)),
    );
  }

  #succeed(reply: BusReply): void {
    this.#end();
    this.#resolve(reply);
  }

  readonly #fail = (error: BusError): void => {
    if (this.#isOver) return;
    this.#end();
    this.#stream?.abort();
    this.#reject(error);
  };

  readonly #abandon = (): void => this.#fail(new BusError('abandoned'));

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#giveUp();
    this.#release();
    this.#signal?.removeEventListener('abort', this.#abandon);
  }
}

/** Sends a request; throws BusError, also when the connection is lost before the answer. */
export function sendRequest(connection: BusConnection, request: BusRequest): Promise<BusReply> {
  return new Promise((resolve, reject) => new Sending(connection, request, [resolve, reject]).send(request));
}

/** Replies to one request to all. */
const repliesMax = 1_000;

/** Sends a request to all who serve a subject, and calls back for each reply that comes within `windowMs`. */
export async function sendToAll(
  connection: BusConnection,
  { subject, payload, windowMs }: { readonly subject: string; readonly payload: Uint8Array; readonly windowMs: number },
  onReply: (payload: Uint8Array) => void,
): Promise<void> {
  const release = connection.hold();
  try {
    const replies = await connection.nc.requestMany(subject, payload, { maxWait: windowMs, noMux: true });
    let count = 0;
    for await (const { data, headers } of replies) {
      if (!headers) onReply(data);
      count += 1;
      if (count >= repliesMax) break;
    }
  } catch (error) {
    throw toBusError(error);
  } finally {
    release();
  }
}
