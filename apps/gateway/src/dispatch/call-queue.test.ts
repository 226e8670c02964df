import { BusyError, served } from '@trunkline/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { busyWaitMs, createRetryQueue, createCallQueue, queueKeyOf } from './call-queue.ts';
import { RepositoryHints } from './repository-hints.ts';

afterEach(() => {
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

/** Creates a queue with two calls of a key in flight, and three that wait for 100 ms at most. */
function setUp() {
  const { enqueue, waiting } = createCallQueue({ inFlightMax: 2, waitingMax: 3 });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const call = (key: string, name: string) =>
    enqueue(key, 100, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  return { call, begun, waiting, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

describe('createCallQueue', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('E6 runs a limited number of calls of one key at once, and calls of other keys beside them', async () => {
    const { call, begun, end } = setUp();
    for (const name of ['a', 'b', 'c', 'd']) void call('hot', name);
    void call('cold', 'other');
    await settle();
    expect(begun).toEqual(['a', 'b', 'other']);
    end('b');
    await settle();
    expect(begun).toEqual(['a', 'b', 'other', 'c']);
  });

  it('runs waiting calls in order, also after a call that failed', async () => {
    const { call, begun, end } = setUp();
    const first = call('hot', 'a');
    for (const name of ['b', 'c', 'd']) void call('hot', name);
    await settle();
    end('a', new Error('no'));
    await expect(first).rejects.toThrow('no');
    end('b');
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('E6 refuses a call beyond the queue, and one that has waited too long', async () => {
    const { call, begun, end } = setUp();
    for (const name of ['a', 'b', 'c']) void call('hot', name).catch(() => {});
    await vi.advanceTimersByTimeAsync(60);
    const waiting = ['d', 'e'].map((name) => call('hot', name));
    await expect(call('hot', 'f')).rejects.toThrow(BusyError);
    await vi.advanceTimersByTimeAsync(40);
    end('a');
    await settle();
    expect(begun).toEqual(['a', 'b', 'd']);
    waiting[1]?.catch(() => {});
    await vi.advanceTimersByTimeAsync(60);
    await expect(waiting[1]).rejects.toThrow(BusyError);
    end('d');
    expect(await waiting[0]).toBe('d');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs new calls of a key at once when its earlier calls have ended', async () => {
    const { call, begun, end } = setUp();
    for (let round = 0; round < 3; round += 1) {
      const calls = [call('hot', `a${round}`), call('hot', `b${round}`)];
      await settle();
      end(`a${round}`);
      end(`b${round}`);
      await Promise.all(calls);
    }
    expect(begun).toHaveLength(6);
  });
});

const anonymous = (ip: string) => ({ userId: 1, ip, credential: { kind: 'anonymous' } }) as const;
const user = { userId: 2, ip: '192.0.2.1', credential: { kind: 'key', id: 3 } } as const;

const keyOf = (
  repoid: unknown,
  caller: typeof user | ReturnType<typeof anonymous> = user,
  hints = new RepositoryHints(),
) => queueKeyOf({ method: served.view_path, lane: 'storage', args: { repoid }, caller }, hints);

it('E6 calls without credentials wait by their clients, not all in one queue', () => {
  expect(keyOf(5, anonymous('192.0.2.1'))).not.toBe(keyOf(5, anonymous('192.0.2.2')));
  expect(keyOf(5, anonymous('2001:db8::1'))).toBe(keyOf(5, anonymous('2001:db8::2')));
  expect(keyOf(5, anonymous('192.0.2.1'))).not.toBe(keyOf(5, user));
});

it('E6 calls about one repository wait in one queue, whether they send its id or its name', () => {
  const hints = new RepositoryHints();
  expect(keyOf('5')).toBe(keyOf(5));
  expect(keyOf('007')).toBe(keyOf(7));
  expect(keyOf('group/repo', user, hints)).not.toBe(keyOf(5, user, hints));
  hints.set({ id: 5, name: 'group/repo', storage: null });
  expect(keyOf('group/repo', user, hints)).toBe(keyOf(5, user, hints));
});

it('calls that name no repository, and transfers, do not wait here', () => {
  expect([keyOf(null), keyOf({}), keyOf(undefined)]).toEqual([null, null, null]);
  const { pull } = served;
  expect(
    queueKeyOf({ method: pull, lane: 'transfer', args: { repoid: 5 }, caller: user }, new RepositoryHints()),
  ).toBeNull();
});

const inTime = 60_000;

/** Has a call wait until it may ask; `end` ends the call. */
function begin(turns: ReturnType<typeof createRetryQueue>, key: string, msMax = inTime, signal?: AbortSignal) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const call = { hasTurn: false, end, result: Promise.resolve() };
  call.result = turns.run(async (waitToRetry) => {
    await waitToRetry(key, msMax, signal);
    call.hasTurn = true;
    await ended;
  });
  call.result.catch(() => {});
  return call;
}

const settleTurns = () => new Promise((resolve) => setImmediate(resolve));

describe('createBusyTurns', () => {
  it('F4 has four calls of a key ask again at once, and the others first come, first served', async () => {
    const turns = createRetryQueue();
    const calls = Array.from({ length: 6 }, () => begin(turns, 'one'));
    const other = begin(turns, 'other');
    await settleTurns();
    expect(calls.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true, false, false]);
    expect(other.hasTurn).toBe(true);
    calls[2]?.end();
    await settleTurns();
    expect(calls.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true, true, false]);
  });

  it('refuses a call whose turn does not come in time, or whose client has gone', async () => {
    const turns = createRetryQueue();
    for (let index = 0; index < 4; index += 1) begin(turns, 'one');
    await expect(begin(turns, 'one', 1).result).rejects.toThrow(BusyError);
    const gone = new AbortController();
    const left = begin(turns, 'one', inTime, gone.signal);
    gone.abort();
    await expect(left.result).rejects.toThrow(BusyError);
  });

  it('keeps one turn for a call that asks several times, and exchanges it when the call asks elsewhere', async () => {
    const turns = createRetryQueue();
    await turns.run(async (waitToRetry) => {
      for (let attempt = 0; attempt < 10; attempt += 1) await waitToRetry('one', inTime);
      await waitToRetry('other', inTime);
      const calls = Array.from({ length: 4 }, () => begin(turns, 'one'));
      await settleTurns();
      expect(calls.every(({ hasTurn }) => hasTurn)).toBe(true);
    });
  });

  it('E6 ends the turn of a call that workers have not refused within a second, and no turn of one that asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const turns = createRetryQueue();
    for (let index = 0; index < 3; index += 1) begin(turns, 'one');
    let askAgain = async () => {};
    const asking = new Promise<void>((resolve) => {
      void turns.run(async (waitToRetry) => {
        askAgain = () => waitToRetry('one', inTime);
        await askAgain();
        resolve();
        await new Promise(() => {});
      });
    });
    await asking;
    const waiting = Array.from({ length: 4 }, () => begin(turns, 'one'));
    vi.advanceTimersByTime(999);
    await askAgain();
    await settleTurns();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([false, false, false, false]);
    vi.advanceTimersByTime(1);
    await settleTurns();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, false]);
    vi.advanceTimersByTime(999);
    await settleTurns();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true]);
  });

  it('ends the turn of a call that fails', async () => {
    const turns = createRetryQueue();
    for (let index = 0; index < 8; index += 1) {
      const failing = turns.run(async (waitToRetry) => {
        await waitToRetry('one', inTime);
        throw new Error('failed');
      });
      await expect(failing).rejects.toThrow('failed');
    }
  });
});

describe('busyWaitMs', () => {
  it.each([
    [0, 10, 20],
    [1, 20, 40],
    [4, 160, 320],
    [1_000, 160, 320],
  ])('waits after answer %i between %i and %i ms, not always the same', (attempt, min, max) => {
    const waits = Array.from({ length: 100 }, () => busyWaitMs(attempt));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(min);
    expect(Math.max(...waits)).toBeLessThanOrEqual(max);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
