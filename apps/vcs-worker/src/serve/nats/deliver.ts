import { answerBytesMax, type Bus, messageBytesMax } from '@trunkline/runtime';
import { KeyedCounter, SlowReaders } from '@trunkline/runtime/concurrency';
import {
  encodeAnswerOffer,
  OperationFailedError,
  RpcError,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import type { DataPort } from '../data-port.ts';
import { type LargeReply, watched } from './reply-of.ts';

/** Limit of the bytes of answers that a process holds for their readers; further calls with large answers get "busy". */
const heldBytesMax = 4 * answerBytesMax;
/** One caller has at most this part of the bytes. */
const callerPart = 1 / 2;

/** An answer whose bytes are held until its client has read them. */
export interface HeldAnswer {
  /** Notes that the client was sent so many bytes. */
  sent(bytes: number): void;
  /** Gives the bytes back; a second call does nothing. */
  release(): void;
}

/**
 * The bytes of the large answers that a process holds for clients that read them, as far as these want. One caller has at
 * most half of them and, once it has some, leaves others space for the largest answer. Where an answer finds no space, slow
 * readers beyond a quarter are ended.
 */
export class HeldAnswers {
  readonly #bytesMax: number;
  readonly #largest: number;
  readonly #readers: SlowReaders;
  readonly #ofCaller = new KeyedCounter<string>();
  #bytes = 0;

  constructor({ bytesMax = heldBytesMax, largest = answerBytesMax } = {}, now?: () => number) {
    this.#bytesMax = bytesMax;
    this.#largest = largest;
    this.#readers = new SlowReaders({ size: bytesMax }, now);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the bytes of an answer, which `end` ends; returns null when there is no space for them. */
  take(caller: string, bytes: number, end: () => void): HeldAnswer | null {
    const own = this.#ofCaller.of(caller);
    if (own > 0 && own + bytes > this.#bytesMax * callerPart) return null;
    const leave = own > 0 ? this.#largest : 0;
    while (this.#bytes + bytes + leave > this.#bytesMax) if (!this.#readers.endOne(caller)) return null;
    return this.#hold(caller, bytes, end);
  }

  #hold(caller: string, bytes: number, end: () => void): HeldAnswer {
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      reader.remove();
      this.#bytes -= bytes;
      this.#ofCaller.remove(caller, bytes);
    };
    const endReading = () => {
      release();
      end();
    };
    const reader = this.#readers.add({ caller, held: bytes, end: endReading });
    this.#bytes += bytes;
    this.#ofCaller.add(caller, bytes);
    return { sent: reader.sent, release };
  }
}

const pieceBytes = 256 * 1024;

interface Answered {
  readonly request: WorkerRequest;
  /** Withdraws the offer of an answer, or cuts its transfer, when it aborts. */
  readonly cancelled: AbortSignal;
  /** Called once if an answer is offered: when its transfer has ended, or its offer was not taken. */
  readonly ended: () => void;
  /** Returns the error of a call for whose answer there is no space. */
  readonly noSpace: () => RpcError;
}

/**
 * Returns what is sent for a reply: a small one as it is, the offer of a large one or, for a gateway of 0.1.0, the large
 * reply itself, which the bus sends in a stream. Throws RpcError when the reply is too large, or there is no space for it.
 */
type Deliver = (reply: WorkerReply | LargeReply, answered: Answered) => WorkerReply | LargeReply;

/** Yields the bytes of an answer that is held; a client that takes them shows at which rate it reads. */
async function* piecesOf(payload: Uint8Array, held: HeldAnswer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < payload.length; at += pieceBytes) {
    const piece = payload.subarray(at, at + pieceBytes);
    held.sent(piece.length);
    yield piece;
  }
}

/** Returns a large reply whose bytes are held until its client has read them; null when there is no space for them. */
function hold(held: HeldAnswers, caller: string, payload: Uint8Array): LargeReply | null {
  const tooSlow = new AbortController();
  const holding = held.take(caller, payload.length, () => tooSlow.abort());
  if (!holding) return null;
  const stream = watched(piecesOf(payload, holding), holding.release);
  return { stream, bytes: payload.length, signal: tooSlow.signal };
}

function offer(dataPort: Pick<DataPort, 'offer'>, { stream, bytes, signal }: LargeReply, answered: Answered) {
  const { request, cancelled, ended, noSpace } = answered;
  const leave = () => void Promise.resolve(stream[Symbol.asyncIterator]().return?.()).catch(() => {});
  try {
    const made = dataPort.offer(request.requestId, async () => ({ body: stream }), {
      signal: AbortSignal.any([cancelled, signal]),
      ended() {
        leave();
        ended();
      },
    });
    return encodeAnswerOffer({ ...made, bytes });
  } catch (error) {
    leave();
    throw error instanceof RpcError ? noSpace() : error;
  }
}

/** Returns a function that decides how replies are sent, with one bound on the bytes that all of them hold. */
export function createDeliver(
  { bus, dataPort }: { readonly bus: Pick<Bus, 'payloadBytesMax'>; readonly dataPort: Pick<DataPort, 'offer'> },
  held = new HeldAnswers(),
): Deliver {
  const toLarge = (reply: WorkerReply, { request, noSpace }: Answered): WorkerReply | LargeReply => {
    const { payload, errorCode } = reply;
    if (errorCode !== null || payload.length <= messageBytesMax(bus.payloadBytesMax)) return reply;
    if (payload.length > answerBytesMax) {
      const text = `The answer is too large (${payload.length} bytes, the limit is ${answerBytesMax})`;
      throw new OperationFailedError(text);
    }
    const large = hold(held, request.callerKey, payload);
    if (!large) throw noSpace();
    return large;
  };
  return (reply, answered) => {
    const sized = 'stream' in reply ? reply : toLarge(reply, answered);
    return 'stream' in sized && answered.request.takesOffer ? offer(dataPort, sized, answered) : sized;
  };
}
