import { Content, encodeContentHead, encodeResult, type WorkerReply } from '@trunkline/contracts';
import type { ReadPieces } from '@trunkline/runtime/concurrency';
import type { Slot } from '../admission/lane-slots.ts';
import { EncodedReply } from '../../cache/reply-cache.ts';
import type { LargeReply } from './large-reply.ts';

/**
 * Puts one piece before a body. Calls `ended` when the stream ends or is left, even if nothing was read; the body, whose
 * process may be running already, is then ended, too.
 */
function precededBy(
  first: Uint8Array,
  body: AsyncIterable<Uint8Array>,
  reading: ReadPieces,
  ended: () => void,
): AsyncIterable<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let isBegun = false;
  // Not a generator, since a generator that was never started does not run its `finally`.
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!isBegun) {
      isBegun = true;
      return { done: false, value: first };
    }
    reading.wanted();
    try {
      const piece = await pieces.next();
      if (piece.done === true) ended();
      else reading.sent(piece.value.length);
      return piece;
    } catch (error) {
      ended();
      throw error;
    }
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      await pieces.return?.();
    } finally {
      ended();
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/** Ends the stream of a result that has no requester any more. */
export function discard(result: unknown): void {
  if (!(result instanceof Content) || result.body instanceof Uint8Array) return;
  Promise.resolve(result.body[Symbol.asyncIterator]().return?.()).catch(() => {});
}

interface Answered {
  readonly slot: Slot;
  /** Called when the client wants the next piece of a stream, and when there is one. */
  readonly movedOn: () => void;
}

/** Encodes a result as a reply. A stream keeps its slot until it has ended or was left. */
export function replyOf(result: unknown, { slot, movedOn }: Answered): WorkerReply | LargeReply {
  if (result instanceof EncodedReply) return { payload: result.payload, errorCode: null };
  if (!(result instanceof Content)) return encodeResult(result);
  const head = encodeContentHead(result.head);
  const { body } = result;
  if (body instanceof Uint8Array) return { payload: Buffer.concat([head, body]), errorCode: null };
  let ended = () => {};
  slot.keepFor(new Promise<void>((resolve) => (ended = resolve)));
  const tooSlow = new AbortController();
  const pieces = slot.beginReading(() => tooSlow.abort());
  const reading: ReadPieces = {
    sent(bytes) {
      movedOn();
      pieces.sent(bytes);
    },
    wanted() {
      movedOn();
      pieces.wanted();
    },
  };
  return { stream: precededBy(head, body, reading, () => ended()), bytes: null, signal: tooSlow.signal };
}
