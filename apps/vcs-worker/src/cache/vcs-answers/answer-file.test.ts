import { mkdtemp, readdir, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import { AnswerFile, type AnswerFileLimits } from './answer-file.ts';
import { FileSpace, openUnlinkedFile } from './file-space.ts';

vi.setConfig({ testTimeout: 60_000 });

let directory: string;
let space: FileSpace;
const opened: FileHandle[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-answers-'));
  space = new FileSpace(() => false);
  space.resize(1_000);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((file) => file.close().catch(() => {})));
  await rm(directory, { recursive: true, force: true });
});

async function openFile(limits: Partial<AnswerFileLimits> = {}) {
  const all = { stepBytes: 10, aheadBytes: 10, lateMsMax: 600_000, bytesForSecond: 1, ...limits };
  const file = await openUnlinkedFile(directory);
  opened.push(file);
  const share = space.shareOf(1);
  expect(share.take(all.stepBytes)).toBe(true);
  const endSource = vi.fn();
  return { answer: new AnswerFile({ ...all, file, space: share, endSource }), endSource, file };
}

/** A source that gives one piece for each call of `give`, and counts what was taken. */
function source() {
  const pieces: (string | Error | null)[] = [];
  let wake = () => {};
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    while (pieces.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const piece = pieces.shift() ?? null;
    if (piece instanceof Error) throw piece;
    return piece === null ? { done: true, value: undefined } : { done: false, value: Buffer.from(piece) };
  };
  return {
    give(...more: (string | Error | null)[]) {
      pieces.push(...more);
      wake();
    },
    get left() {
      return pieces.length;
    },
    iterable: { [Symbol.asyncIterator]: () => ({ next }) },
  };
}

const digits = (count: number) => Array.from({ length: count }, (_, at) => String(at % 10)).join('');
const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 50_000, interval: 2 });
const textOf = async (pieces: AsyncIterable<Uint8Array>) => (await collectBytes(pieces)).toString();

/** Reads so many bytes, and leaves the rest. */
async function take(pieces: AsyncIterator<Uint8Array>, bytes: number): Promise<string> {
  let text = '';
  while (text.length < bytes) {
    const piece = await pieces.next();
    if (piece.done === true) break;
    text += Buffer.from(piece.value).toString();
  }
  return text;
}

it('has no name in its directory', async () => {
  await openFile();
  expect(await readdir(directory)).toEqual([]);
});

it('gives all bytes to readers that come before, during and after the source', async () => {
  const { answer } = await openFile();
  const { give, iterable } = source();
  const first = textOf(answer.read());
  const filled = answer.fill(iterable);
  give(digits(25), '');
  const second = textOf(answer.read());
  give(digits(30), null);
  expect(await filled).toBe(true);
  const third = textOf(answer.read());
  for (const read of [first, second, third]) expect(await read).toBe(digits(25) + digits(30));
  expect(space.bytes).toBe(55);
  answer.release();
  expect(space.bytes).toBe(0);
});

it('is read once for readers that are at the same position', async () => {
  const { answer, file } = await openFile({ stepBytes: 100, aheadBytes: 100 });
  const read = vi.spyOn(file, 'read');
  const { give, iterable } = source();
  const readers = Array.from({ length: 5 }, () => textOf(answer.read()));
  const filled = answer.fill(iterable);
  give(digits(50), null);
  for (const one of readers) expect(await one).toBe(digits(50));
  expect(await filled).toBe(true);
  expect(read).toHaveBeenCalledOnce();
  // No reader was left that could share it.
  expect(await textOf(answer.read())).toBe(digits(50));
  expect(read).toHaveBeenCalledTimes(2);
});

it('stops its source when it is ahead of the fastest reader', async () => {
  const { answer } = await openFile();
  const pieces = source();
  const slow = answer.read();
  const fast = answer.read()[Symbol.asyncIterator]();
  pieces.give(...Array.from({ length: 10 }, () => digits(5)), null);
  const filled = answer.fill(pieces.iterable);
  await until(() => answer.bytes === 10);
  expect(await take(fast, 10)).toBe(digits(5).repeat(2));
  // Two pieces fit between the fastest reader and the limit, and two more have been taken from the source.
  await until(() => pieces.left === 11 - 6);
  expect(answer.bytes).toBe(20);
  expect(await take(fast, 100)).toBe(digits(5).repeat(8));
  expect(await filled).toBe(true);
  expect(await textOf(slow)).toBe(digits(5).repeat(10));
});

it('ends its source with the last reader, and not with the first one', async () => {
  const { answer, endSource } = await openFile();
  const pieces = source();
  const filled = answer.fill(pieces.iterable);
  const [one, two] = [answer.read(), answer.read()];
  pieces.give(digits(5));
  expect(await take(two[Symbol.asyncIterator](), 5)).toBe(digits(5));
  one.end();
  one.end();
  expect(endSource).not.toHaveBeenCalled();
  two.end();
  expect(endSource).toHaveBeenCalled();
  expect(answer.isReadable).toBe(false);
  pieces.give(new Error('ended'));
  expect(await filled).toBe(false);
  answer.release();
  expect(space.bytes).toBe(0);
});

it('wakes a reader that is ended while it waits', async () => {
  const { answer } = await openFile();
  void answer.fill(source().iterable);
  const reader = answer.read();
  const waiting = reader[Symbol.asyncIterator]().next();
  reader.end();
  expect((await waiting).done).toBe(true);
});

it('fails for all readers when its source fails, wherever they are', async () => {
  const { answer } = await openFile();
  const pieces = source();
  const readers = [answer.read(), answer.read()];
  pieces.give(digits(5), new Error('broken'));
  expect(await answer.fill(pieces.iterable)).toBe(false);
  for (const reader of readers) await expect(textOf(reader)).rejects.toThrow('broken');
  expect(answer.isReadable).toBe(false);
  answer.release();
  expect(space.bytes).toBe(0);
});

describe('that cannot grow', () => {
  // One repository has half of the space.
  beforeEach(() => space.resize(40));

  it('becomes a ring, for its readers alone', async () => {
    const { answer } = await openFile();
    const pieces = source();
    const reader = textOf(answer.read());
    const text = digits(7).repeat(50);
    pieces.give(...Array.from({ length: 50 }, () => digits(7)), null);
    expect(await answer.fill(pieces.iterable)).toBe(false);
    expect(answer.isReadable).toBe(false);
    expect(await reader).toBe(text);
    expect(space.bytes).toBe(20);
    answer.release();
    expect(space.bytes).toBe(0);
  });

  it('grows as far as there is space', async () => {
    space.resize(90);
    const { answer } = await openFile();
    const pieces = source();
    const reader = textOf(answer.read());
    pieces.give(...Array.from({ length: 50 }, () => digits(7)), null);
    expect(await answer.fill(pieces.iterable)).toBe(false);
    expect(await reader).toBe(digits(7).repeat(50));
    expect(space.bytes).toBe(40);
  });

  it('waits for its slowest reader when that one goes on', async () => {
    const { answer } = await openFile();
    const pieces = source();
    const [slow, fast] = [answer.read(), answer.read()];
    pieces.give(...Array.from({ length: 50 }, () => digits(7)), null);
    void answer.fill(pieces.iterable);
    const fastText = textOf(fast);
    await until(() => answer.bytes === 20);
    expect(await textOf(slow)).toBe(digits(7).repeat(50));
    expect(await fastText).toBe(digits(7).repeat(50));
  });

  describe('and whose readers are late', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    /** Lets everything run that waits for the disk alone, until this holds. A busy disk may take seconds. */
    const settle = async (holds: () => boolean) => {
      const deadline = Date.now() + 50_000;
      while (!holds() && Date.now() < deadline) await new Promise(setImmediate);
      expect(holds()).toBe(true);
    };
    const failureOf = (iterator: AsyncIterator<Uint8Array>) =>
      iterator.next().then(
        () => null,
        (error: Error) => error.message,
      );

    /** Reads the twenty bytes of the ring, in pieces of the lengths in which others have read them. */
    const readRing = async (iterator: AsyncIterator<Uint8Array> | undefined) => {
      for (let bytes = 0; bytes < 20;) {
        const piece = await iterator?.next();
        expect(piece).toMatchObject({ done: false });
        bytes += piece?.value.length;
      }
    };

    /** Opens an answer of 350 bytes that one reader reads at once, and others not by themselves. */
    const openLate = async (others: number, limits: Partial<AnswerFileLimits>) => {
      const { answer } = await openFile({ lateMsMax: 30_000, ...limits });
      const pieces = source();
      const late = Array.from({ length: others }, () => answer.read()[Symbol.asyncIterator]());
      pieces.give(...Array.from({ length: 50 }, () => digits(7)), null);
      const fast = textOf(answer.read());
      void answer.fill(pieces.iterable);
      /** Resolves when the ring is full. */
      const filledTo = (bytes: number) => settle(() => answer.bytes === bytes && vi.getTimerCount() === 1);
      await filledTo(20);
      return { answer, late, fast, filledTo };
    };

    it('counts the time for which a reader has stopped the others, however often it reads', async () => {
      const { answer, late, fast, filledTo } = await openLate(1, { bytesForSecond: 20 });
      const [dripping] = late;
      for (let drips = 1; drips <= 2; drips += 1) {
        vi.advanceTimersByTime(15_000);
        await readRing(dripping);
        await filledTo(20 + 20 * drips);
      }
      // What was read each time has made one second good.
      vi.advanceTimersByTime(1_999);
      expect([answer.bytes, vi.getTimerCount()]).toEqual([60, 1]);
      vi.advanceTimersByTime(1);
      expect(await fast).toBe(digits(7).repeat(50));
      expect(dripping && (await failureOf(dripping))).toContain('too far behind');
    });

    it('forgets that time when the reader keeps up', async () => {
      const { late, fast, filledTo } = await openLate(1, { bytesForSecond: 1 });
      for (let drips = 1; drips <= 3; drips += 1) {
        vi.advanceTimersByTime(20_000);
        await readRing(late[0]);
        await filledTo(20 + 20 * drips);
      }
      await late[0]?.return?.();
      expect(await fast).toBe(digits(7).repeat(50));
    });

    it('cuts off all that stand still at once', async () => {
      const { late, fast } = await openLate(3, {});
      vi.advanceTimersByTime(30_000);
      expect(await fast).toBe(digits(7).repeat(50));
      for (const reader of late) expect(await failureOf(reader)).toContain('too far behind');
    });
  });

  it('cuts its slowest reader off when that one stops the others', async () => {
    const { answer } = await openFile({ lateMsMax: 1 });
    const pieces = source();
    const [slow, fast] = [answer.read(), answer.read()];
    pieces.give(...Array.from({ length: 50 }, () => digits(7)), null);
    void answer.fill(pieces.iterable);
    expect(await textOf(fast)).toBe(digits(7).repeat(50));
    await expect(textOf(slow)).rejects.toThrow('too far behind');
  });
});
