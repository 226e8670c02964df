import { BusyError } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { LongList } from '../lists/long-list.ts';
import { createStreamList } from './list-stream.ts';

const entries = [{ name: 'ä"' }, { name: ',' }, { name: ']' }, null, 5];

function pagedList(size: number) {
  let read = 0;
  let left = false;
  async function* pages() {
    try {
      for (let at = 0; at < entries.length; at += size) {
        read += 1;
        yield entries.slice(at, at + size);
      }
    } finally {
      left = true;
    }
  }
  return { list: new LongList(pages()), pagesRead: () => read, wasLeft: () => left };
}

function openList(list: LongList<unknown>, streamList = createStreamList(), caller = 'user 1') {
  const ends: unknown[] = [];
  const { stream, signal } = streamList(list, caller, (error) => ends.push(error));
  return { stream, signal, iterator: stream[Symbol.asyncIterator](), ends };
}

describe('the stream of a long list', () => {
  it.each([1, 2, 5])('has the bytes of the whole list, in pages of %i', async (size) => {
    const { stream, ends } = openList(pagedList(size).list);
    const pieces: Uint8Array[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(entries));
    expect(ends).toEqual([null]);
  });

  it.each([
    { pages: [[1, 2], []], text: '[1,2]' },
    { pages: [[1], [], [2]], text: '[1,2]' },
    { pages: [[]], text: '[]' },
  ])('has $text without a trace of empty pages', async ({ pages, text }) => {
    async function* source() {
      yield* pages;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of openList(new LongList(source())).stream) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(text);
  });

  it('reads a page only when the one before has been taken', async () => {
    const { list, pagesRead } = pagedList(1);
    const { iterator } = openList(list);
    expect(pagesRead()).toBe(0);
    for (const read of [1, 2, 3]) {
      await iterator.next();
      expect(pagesRead()).toBe(read);
    }
  });

  it('fails with the error of a page, which it reports once', async () => {
    const failure = new Error('refused');
    async function* pages() {
      yield [1];
      throw failure;
    }
    const { iterator, ends } = openList(new LongList(pages()));
    await iterator.next();
    await expect(iterator.next()).rejects.toBe(failure);
    await iterator.return?.();
    expect(ends).toEqual([failure]);
  });

  it('that is left ends its source', async () => {
    const { list, wasLeft } = pagedList(1);
    const { iterator, ends } = openList(list);
    await iterator.next();
    await iterator.return?.();
    expect([wasLeft(), ends]).toEqual([true, [null]]);
  });

  it('that is left keeps its permit until the page that is being read has ended', async () => {
    let finishPage = () => {};
    const page = new Promise<void>((resolve) => (finishPage = resolve));
    async function* pages() {
      yield [1];
      await page;
      yield [2];
    }
    const { iterator, ends } = openList(new LongList(pages()));
    await iterator.next();
    const reading = iterator.next();
    const leaving = iterator.return?.();
    expect(ends).toEqual([]);
    finishPage();
    await Promise.all([reading, leaving]);
    expect(ends).toEqual([null]);
  });

  it('E3 is refused beyond the quota of its user, until one of the others has ended', async () => {
    const streamList = createStreamList();
    const ofUser = () => openList(pagedList(1).list, streamList, 'user 7');
    const open = Array.from({ length: 8 }, ofUser);
    expect(ofUser).toThrow(BusyError);
    expect(() => openList(pagedList(1).list, streamList, 'user 8')).not.toThrow();
    // A stream that was never read holds its permit, too.
    await open[0]?.iterator.return?.();
    expect(ofUser).not.toThrow();
  });

  it('E3 E6 leaves the last permit to a caller who has none, and ends slow readers where one is refused', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const streamList = createStreamList();
    const open = (caller: string) => openList(pagedList(1).list, streamList, caller);
    const slow = Array.from({ length: 31 }, (_, at) => open(`user ${at % 4}`));
    await Promise.all(slow.map(({ iterator }) => iterator.next()));
    expect(() => open('user 3')).toThrow(BusyError);
    const last = open('user 4');
    now.mockReturnValue(26_000);
    expect(() => open('user 5')).toThrow(BusyError);
    const ended = slow.filter(({ signal }) => signal.aborted);
    expect([ended.length, last.signal.aborted]).toEqual([1, false]);
    await ended[0]?.iterator.return?.();
    expect(() => open('user 5')).not.toThrow();
    now.mockRestore();
  });

  it('gives a large page in pieces', async () => {
    async function* pages() {
      yield ['x'.repeat(600_000)];
    }
    const lengths: number[] = [];
    for await (const piece of openList(new LongList(pages())).stream) lengths.push(piece.length);
    expect(lengths).toEqual([262_144, 262_144, 75_715, 1]);
  });
});
