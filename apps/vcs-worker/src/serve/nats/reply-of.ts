import { BusyError, Content, encodeContentHead, encodeResult, type WorkerReply } from '@trunkline/contracts';
import { type ReadPieces, Semaphore, SlowReaders } from '@trunkline/runtime/concurrency';
import type { LongList } from '../../methods/read-list.ts';
import type { Slot } from '../admission/lane-slots.ts';
import { EncodedReply } from '../../cache/reply-cache.ts';

/**
 * An answer that is too large for a message, or of unknown length. Reading starts the source; its `return` has to be called
 * at the end, also when nothing was read.
 */
export interface LargeReply {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Length in bytes; null when it is not known. */
  readonly bytes: number | null;
  /** Ends the answer, and that of the client with it, once it is aborted. */
  readonly signal: AbortSignal;
}

/** How a stream has ended: with the error of its source, or with none, and after how much work of the source. */
export type Ended = (error: unknown, workMs: number) => void;

/**
 * Calls `ended` once: when the source has ended or failed, or is left, even if nothing was read. A source that is left
 * ends when the page that it is reading has been read.
 */
export function watched(source: AsyncGenerator<Uint8Array>, ended: Ended): AsyncIterable<Uint8Array> {
  let isOpen = true;
  let workMs = 0;
  const end = (error: unknown) => {
    if (isOpen) ended(error, workMs);
    isOpen = false;
  };
  // Not a generator, since a generator that was never started does not run its `finally`.
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const began = performance.now();
    try {
      const piece = await source.next();
      workMs += performance.now() - began;
      if (piece.done === true) end(null);
      return piece;
    } catch (error) {
      workMs += performance.now() - began;
      end(error);
      throw error;
    }
  };
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      await source.return(undefined);
    } finally {
      end(null);
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}

/** Long lists that a worker sends at a time, to all callers and to one: it holds one page of each. */
const limits = { limit: 32, quotaPerCaller: 8 };
/** A page is given in pieces of this size, so that a slow client is noticed. */
const pieceBytes = 256 * 1024;

/**
 * Puts the pages of a list together, so that the pieces are the bytes of the list encoded whole. The last page is empty when the
 * one before it was full and no row came after it. Tells of each piece.
 */
async function* encodePages(pages: AsyncIterable<string>, reading: ReadPieces): AsyncGenerator<Uint8Array> {
  let before = '[';
  for await (const page of pages) {
    if (page === '[]') continue;
    const bytes = Buffer.from(`${before}${page.slice(1, -1)}`);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      reading.sent(piece.length);
      yield piece;
    }
    reading.wanted();
    before = ',';
  }
  yield Buffer.from(before === ',' ? ']' : '[]');
}

export type StreamList = (list: LongList<unknown>, caller: string, ended: Ended) => LargeReply;

/**
 * Returns a function that makes a stream of a long list; it throws BusyError beyond the limits. A stream takes no slot:
 * its call has ended, and the client sets its pace. Where a list is refused, slow readers of others beyond a quarter are
 * ended.
 */
export function createStreamList(): StreamList {
  const streams = new Semaphore({ ...limits, refuse: () => new BusyError({ quota: 'lists' }) });
  const readers = new SlowReaders({ size: limits.limit });
  return (list, caller, ended) => {
    if (!streams.tryAcquire(null, caller)) {
      // The gateway sends the call again, soon after the reader has been ended.
      readers.endOne(caller);
      throw new BusyError({ quota: 'lists' });
    }
    const tooSlow = new AbortController();
    const reading = readers.add({ caller, end: () => tooSlow.abort() });
    const end: Ended = (error, workMs) => {
      reading.remove();
      streams.release(null, caller);
      ended(error, workMs);
    };
    return { stream: watched(encodePages(list.pages, reading), end), bytes: null, signal: tooSlow.signal };
  };
}

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
