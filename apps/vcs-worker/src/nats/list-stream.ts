import { BusyError } from '@trunkline/contracts';
import type { StreamReply } from '@trunkline/runtime';
import { Semaphore, SlowReaders, type ReadPieces } from '@trunkline/runtime/concurrency';
import type { LongList } from '../lists/long-list.ts';

/** Long lists that a worker sends at a time, to all callers and to one: it holds one page of each. */
const limits = { limit: 32, quotaPerCaller: 8 };
/** A page is given in pieces of this size, so that a slow client is noticed. */
const pieceBytes = 256 * 1024;

/** How a stream has ended: with the error of a page, or with none, and after how much work on its pages. */
type Ended = (error: unknown, workMs: number) => void;

/**
 * Encodes a list, so that the pieces together are the bytes of the list encoded whole. The last page is empty when the
 * one before it was full and no row came after it. Tells of each piece.
 */
async function* encodePages(pages: AsyncIterable<readonly unknown[]>, reading: ReadPieces): AsyncGenerator<Uint8Array> {
  let before = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    const bytes = Buffer.from(`${before}${JSON.stringify(page).slice(1, -1)}`);
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

/**
 * Calls `ended` once: when the source has ended or failed, or is left, even if nothing was read. A source that is left
 * ends when the page that it is reading has been read.
 */
function watched(source: AsyncGenerator<Uint8Array>, ended: Ended): AsyncIterable<Uint8Array> {
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

export type StreamList = (list: LongList<unknown>, caller: string, ended: Ended) => StreamReply;

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
    return { stream: watched(encodePages(list.pages, reading), end), signal: tooSlow.signal };
  };
}
