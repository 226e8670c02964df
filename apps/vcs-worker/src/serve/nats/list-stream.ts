import { BusyError } from '@trunkline/contracts';
import { Semaphore, SlowReaders, type ReadPieces } from '@trunkline/runtime/concurrency';
import type { LongList } from '../lists/long-list.ts';
import { watched, type Ended, type LargeReply } from './large-reply.ts';

/** Long lists that a worker sends at a time, to all callers and to one: it holds one page of each. */
const limits = { limit: 32, quotaPerCaller: 8 };
/** A page is given in pieces of this size, so that a slow client is noticed. */
const pieceBytes = 256 * 1024;

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
