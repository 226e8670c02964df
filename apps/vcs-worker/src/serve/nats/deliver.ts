import {
  encodeAnswerOffer,
  OperationFailedError,
  RpcError,
  type WorkerReply,
  type WorkerRequest,
} from '@trunkline/contracts';
import { answerBytesMax, messageBytesMax, type Bus } from '@trunkline/runtime';
import type { DataPort } from '../data/data-port.ts';
import { HeldAnswers, type HeldAnswer } from './held-answers.ts';
import { watched, type LargeReply } from './large-reply.ts';

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
