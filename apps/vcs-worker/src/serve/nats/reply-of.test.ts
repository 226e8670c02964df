import { BusyError, Content, splitContentHead } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { LongList } from '../../methods/read-list.ts';
import { createStreamList, replyOf } from './reply-of.ts';
import { createLaneSlots, type Slot } from '../admission/lane-slots.ts';
import { peek } from '../../methods/content/at-revision.ts';

const entries = [{ name: 'ä"' }, { name: ',' }, { name: ']' }, null, 5];

function pagedList(size: number) {
  let read = 0;
  let left = false;
  async function* pages() {
    try {
      for (let at = 0; at < entries.length; at += size) {
        read += 1;
        yield JSON.stringify(entries.slice(at, at + size));
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
      yield* pages.map((page) => JSON.stringify(page));
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
      yield '[1]';
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
      yield '[1]';
      await page;
      yield '[2]';
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
      yield JSON.stringify(['x'.repeat(600_000)]);
    }
    const lengths: number[] = [];
    for await (const piece of openList(new LongList(pages())).stream) lengths.push(piece.length);
    expect(lengths).toEqual([262_144, 262_144, 75_715, 1]);
  });
});

const head = { name: 'a' };

function takenSlot() {
  const slots = createLaneSlots(1);
  const slot = slots.tryTake('caller');
  if (!slot) throw new Error('no slot');
  return { slots, slot };
}

const answeredBy = (slot: Slot, movedOn = () => {}) => ({ slot, movedOn });

async function streamOf(slot: Slot, pieces: readonly string[]) {
  let returned = false;
  async function* source() {
    try {
      for (const piece of pieces) yield Buffer.from(piece);
    } finally {
      returned = true;
    }
  }
  // Handlers read the first piece, so that the body has begun.
  const { whole } = await peek(source());
  const reply = replyOf(new Content(head, whole), answeredBy(slot));
  if (!('stream' in reply)) throw new Error('no stream');
  return { stream: reply.stream, wasReturned: () => returned };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('replyOf', () => {
  it('a record is encoded as JSON', () => {
    const reply = replyOf([1], answeredBy(takenSlot().slot));
    expect(reply).toEqual({ payload: Buffer.from('[1]'), errorCode: null });
  });

  it('short content follows its head in one payload', () => {
    const reply = replyOf(new Content(head, Buffer.from('x\ny')), answeredBy(takenSlot().slot));
    const { head: read, rest } = splitContentHead('payload' in reply ? reply.payload : Buffer.alloc(0)) ?? {};
    expect(read).toEqual(head);
    expect(Buffer.from(rest ?? []).toString()).toBe('x\ny');
  });

  it('a stream keeps its slot until it has been read', async () => {
    const { slots, slot } = takenSlot();
    const { stream } = await streamOf(slot, ['x', 'y']);
    slot.end();
    const read: Uint8Array[] = [];
    for await (const piece of stream) {
      expect(slots.held).toBe(1);
      read.push(piece);
    }
    expect(Buffer.concat(read).toString()).toBe('{"name":"a"}\nxy');
    await settled();
    expect(slots.held).toBe(0);
  });

  it('tells that a stream moves on, at each piece', async () => {
    let moves = 0;
    const told: unknown[] = [];
    const reading = { sent: (bytes: number) => told.push(bytes), wanted: () => told.push('wanted') };
    const slot = { ...takenSlot().slot, beginReading: () => reading };
    const body = async function* () {
      yield Buffer.from('x');
    };
    const reply = replyOf(
      new Content(head, body()),
      answeredBy(slot, () => (moves += 1)),
    );
    const pieces = ('stream' in reply ? reply.stream : body())[Symbol.asyncIterator]();
    const counts: number[] = [];
    for (let read = 0; read < 3; read += 1) {
      await pieces.next();
      counts.push(moves);
    }
    expect(counts).toEqual([0, 2, 3]);
    expect(told).toEqual(['wanted', 1, 'wanted']);
  });

  it.each([0, 1, 2])(
    'D12 a stream that is left after %i pieces gives its slot back and ends its source',
    async (pieces) => {
      const { slots, slot } = takenSlot();
      const { stream, wasReturned } = await streamOf(slot, ['x', 'y', 'z']);
      slot.end();
      const iterator = stream[Symbol.asyncIterator]();
      for (let read = 0; read < pieces; read += 1) await iterator.next();
      await iterator.return?.();
      await settled();
      expect(slots.held).toBe(0);
      expect(wasReturned()).toBe(true);
    },
  );

  it('a source that fails gives the slot back', async () => {
    const { slots, slot } = takenSlot();
    async function* failing() {
      yield Buffer.from('x');
      throw new Error('gone');
    }
    const reply = replyOf(new Content(head, failing()), answeredBy(slot));
    slot.end();
    const iterator = ('stream' in reply ? reply.stream : failing())[Symbol.asyncIterator]();
    for (let read = 0; read < 2; read += 1) await iterator.next();
    await expect(iterator.next()).rejects.toThrow('gone');
    await settled();
    expect(slots.held).toBe(0);
  });
});
