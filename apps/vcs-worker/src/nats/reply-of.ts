import { Content, encodeContentHead, encodeResult, type WorkerReply } from '@trunkline/contracts';
import type { StreamReply } from '@trunkline/runtime';
import { largePieces } from './large-pieces.ts';
import type { Slot } from '../admission/lane-slots.ts';

const pieceBytes = 256 * 1024;

/** A source with one piece before it; `ended` is called once, also when nothing was ever read. */
function precededBy(
  first: Uint8Array,
  source: AsyncIterable<Uint8Array>,
  ended: () => void,
): AsyncIterable<Uint8Array> {
  let rest: AsyncIterator<Uint8Array> | undefined;
  // Not a generator: one that was never started does not run its `finally`.
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!rest) {
      rest = source[Symbol.asyncIterator]();
      return { done: false, value: first };
    }
    try {
      const piece = await rest.next();
      if (piece.done === true) ended();
      return piece;
    } catch (error) {
      ended();
      throw error;
    }
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      await rest?.return?.();
    } finally {
      ended();
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/** Ends the source of a result whose requester is gone. */
export function discard(result: unknown): void {
  if (!(result instanceof Content) || result.body instanceof Uint8Array) return;
  Promise.resolve(result.body[Symbol.asyncIterator]().return?.()).catch(() => {});
}

/** A result as a reply. Streamed content keeps its slot until it was read. */
export function replyOf(result: unknown, slot: Slot): WorkerReply | StreamReply {
  if (!(result instanceof Content)) return encodeResult(result);
  const head = encodeContentHead(result.head);
  const { body } = result;
  if (body instanceof Uint8Array) return { payload: Buffer.concat([head, body]), errorCode: null };
  let ended = () => {};
  slot.keepFor(new Promise<void>((resolve) => (ended = resolve)));
  return { stream: precededBy(head, largePieces(body, pieceBytes), () => ended()) };
}
