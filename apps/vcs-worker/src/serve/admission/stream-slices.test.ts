import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StreamSlices } from './stream-slices.ts';

const limits = { permits: 2, sliceBytes: 4, sliceMs: 60_000 };
const never = new AbortController().signal;
const piece = new Uint8Array(2);

/** A source that computes a piece until it is told that the piece is there; `log` gets its name when it begins one. */
function scripted(name = '', log: string[] = []) {
  const computing: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  let hasEnded = false;
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      log.push(name);
      return new Promise((resolve) => computing.push(resolve));
    },
    return: async () => {
      hasEnded = true;
      return { done: true, value: undefined };
    },
  };
  return {
    source: { [Symbol.asyncIterator]: () => iterator },
    computing: () => computing.length > 0,
    computed: () => computing.shift()?.({ done: false, value: piece }),
    ended: () => computing.shift()?.({ done: true, value: undefined }),
    hasEnded: () => hasEnded,
  };
}

function reading(slices: StreamSlices, caller: string, log: string[] = [], signal = never, name = caller) {
  const script = scripted(name, log);
  const iterator = slices.of(script.source, { caller, signal })[Symbol.asyncIterator]();
  return { ...script, next: () => iterator.next(), leave: () => iterator.return?.() };
}

/** Lets a promise's followers run, and what was put off to the end of this turn of the event loop. */
async function settled(): Promise<void> {
  await nextTurnOfLoop();
  await nextTurnOfLoop();
}

describe('StreamTurns', () => {
  it('E6 has one stream of a caller compute, and one of another, however many one has', async () => {
    const slices = new StreamSlices(limits);
    const greedy = Array.from({ length: 64 }, () => reading(slices, 'greedy'));
    for (const { next } of greedy) void next();
    await settled();
    expect(greedy.filter(({ computing }) => computing())).toHaveLength(1);
    const modest = reading(slices, 'modest');
    void modest.next();
    await settled();
    expect(modest.computing()).toBe(true);
    expect([slices.computing, slices.waiting]).toEqual([2, 63]);
  });

  it('E6 gives all streams of a caller turns of a few pieces, and other callers theirs between them', async () => {
    const slices = new StreamSlices({ ...limits, permits: 1 });
    const log: string[] = [];
    const readers = ['a', 'a2', 'a3', 'b'].map((name) => reading(slices, name.charAt(0), log, never, name));
    const drained = readers.map(async ({ next }) => {
      for (let step = 0; step < 4; step += 1) await next();
    });
    while (log.length < 16 || readers.some(({ computing }) => computing())) {
      await settled();
      expect(readers.filter(({ computing }) => computing()).length).toBeLessThanOrEqual(1);
      for (const { computed } of readers) computed();
    }
    await Promise.all(drained);
    // Two pieces in each time slice.
    expect(log.join(' ')).toBe('a a a2 a2 b b a3 a3 b b a a a2 a2 a3 a3');
    expect(slices.computing).toBe(0);
  });

  it('gives the permit of a stream back that its reader does not go on with', async () => {
    const slices = new StreamSlices(limits);
    const [slow, other] = [reading(slices, 'a'), reading(slices, 'a')];
    const first = slow.next();
    await settled();
    slow.computed();
    await first;
    await settled();
    expect(slices.computing).toBe(0);
    void other.next();
    await settled();
    expect(other.computing()).toBe(true);
  });

  it('gives the permit of a stream back that computes for too long, and its piece to the reader all the same', async () => {
    const slices = new StreamSlices({ ...limits, permits: 1, sliceMs: 1 });
    const log: string[] = [];
    const [long, other] = [reading(slices, 'long', log), reading(slices, 'other', log)];
    const found = long.next();
    void other.next();
    while (!log.includes('other')) await settled();
    long.computed();
    expect((await found).value).toBe(piece);
  });

  it('gives permits back at the end of a stream, when its source fails, and when its reader leaves it', async () => {
    const slices = new StreamSlices({ ...limits, permits: 6 });
    const failing = slices.of(
      { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('failed')) }) },
      { caller: 'c', signal: never },
    );
    await expect(failing[Symbol.asyncIterator]().next()).rejects.toThrow('failed');
    const [ending, left] = [reading(slices, 'a'), reading(slices, 'b')];
    const end = ending.next();
    void left.next();
    await settled();
    expect(slices.computing).toBe(2);
    ending.ended();
    expect(await end).toEqual({ done: true, value: undefined });
    await left.leave();
    expect([slices.computing, left.hasEnded()]).toEqual([0, true]);
  });

  it('ends the wait of a stream whose client has gone, or whose reader leaves it, and its source', async () => {
    const slices = new StreamSlices({ ...limits, permits: 1 });
    const client = new AbortController();
    const first = reading(slices, 'a');
    void first.next();
    const [gone, left] = [reading(slices, 'b', [], client.signal), reading(slices, 'c')];
    const waits = [gone.next(), left.next()];
    client.abort();
    await left.leave();
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ kind: 'cancelled' });
    expect([slices.computing, slices.waiting]).toEqual([1, 0]);
    expect([gone.hasEnded(), left.hasEnded()]).toEqual([true, true]);
  });
});
