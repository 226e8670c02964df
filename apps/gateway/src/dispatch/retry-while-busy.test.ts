import { BusyError } from '@trunkline/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { busyWaitMs, createBusyTurns } from './retry-while-busy.ts';

const inTime = 60_000;

/** Has a call wait for its turn; `end` ends the call. */
function begin(turns: ReturnType<typeof createBusyTurns>, key: string, msMax = inTime, signal?: AbortSignal) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const call = { hasTurn: false, end, result: Promise.resolve() };
  call.result = turns.run(async (waitForTurn) => {
    await waitForTurn(key, msMax, signal);
    call.hasTurn = true;
    await ended;
  });
  call.result.catch(() => {});
  return call;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('createBusyTurns', () => {
  afterEach(() => void vi.useRealTimers());

  it('F4 has four calls of a key ask again at once, and the others first come, first served', async () => {
    const turns = createBusyTurns();
    const calls = Array.from({ length: 6 }, () => begin(turns, 'one'));
    const other = begin(turns, 'other');
    await settle();
    expect(calls.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true, false, false]);
    expect(other.hasTurn).toBe(true);
    calls[2]?.end();
    await settle();
    expect(calls.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true, true, false]);
  });

  it('refuses a call whose turn does not come in time, or whose client has gone', async () => {
    const turns = createBusyTurns();
    for (let index = 0; index < 4; index += 1) begin(turns, 'one');
    await expect(begin(turns, 'one', 1).result).rejects.toThrow(BusyError);
    const gone = new AbortController();
    const left = begin(turns, 'one', inTime, gone.signal);
    gone.abort();
    await expect(left.result).rejects.toThrow(BusyError);
  });

  it('keeps one turn for a call that asks several times, and exchanges it when the call asks elsewhere', async () => {
    const turns = createBusyTurns();
    await turns.run(async (waitForTurn) => {
      for (let attempt = 0; attempt < 10; attempt += 1) await waitForTurn('one', inTime);
      await waitForTurn('other', inTime);
      const calls = Array.from({ length: 4 }, () => begin(turns, 'one'));
      await settle();
      expect(calls.every(({ hasTurn }) => hasTurn)).toBe(true);
    });
  });

  it('E6 ends the turn of a call that workers have not refused within a second, and no turn of one that asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const turns = createBusyTurns();
    for (let index = 0; index < 3; index += 1) begin(turns, 'one');
    let askAgain = async () => {};
    const asking = new Promise<void>((resolve) => {
      void turns.run(async (waitForTurn) => {
        askAgain = () => waitForTurn('one', inTime);
        await askAgain();
        resolve();
        await new Promise(() => {});
      });
    });
    await asking;
    const waiting = Array.from({ length: 4 }, () => begin(turns, 'one'));
    vi.advanceTimersByTime(999);
    await askAgain();
    await settle();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([false, false, false, false]);
    vi.advanceTimersByTime(1);
    await settle();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, false]);
    vi.advanceTimersByTime(999);
    await settle();
    expect(waiting.map(({ hasTurn }) => hasTurn)).toEqual([true, true, true, true]);
  });

  it('ends the turn of a call that fails', async () => {
    const turns = createBusyTurns();
    for (let index = 0; index < 8; index += 1) {
      const failing = turns.run(async (waitForTurn) => {
        await waitForTurn('one', inTime);
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
