import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VcsError } from '../vcs-error.ts';
import { MemoryBudget } from './memory-budget.ts';

const mebibyte = 1024 * 1024;

/** Creates a budget of 100 MiB; children use what `sizes` says, in MiB, by their process id. */
function setUp() {
  const sizes = new Map<number, number>();
  const stopped: number[] = [];
  const budget = new MemoryBudget((pid) => (sizes.get(pid) ?? 0) * mebibyte);
  budget.setLimit(100 * mebibyte);
  const start = (pid: number, size: number, isIdle = false) => {
    sizes.set(pid, size);
    const stop = ({ kind }: VcsError) => kind === 'busy' && stopped.push(pid);
    return budget.add({ pid, stop, isIdle: () => isIdle });
  };
  return { budget, sizes, stopped, start };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('MemoryBudget', () => {
  it('E6 lets no child start above the budget, until others have ended', () => {
    const { budget, start, stopped } = setUp();
    start(1, 60);
    const end = start(2, 50);
    budget.requireMemory();
    budget.check(0);
    expect(() => budget.requireMemory()).toThrow(expect.objectContaining({ kind: 'busy' }));
    end();
    budget.requireMemory();
    expect(stopped).toEqual([]);
  });

  it('counts children that start between two measurements', () => {
    const { budget, start } = setUp();
    for (let pid = 1; pid <= 7; pid += 1) start(pid, 0);
    expect(budget.isExceeded).toBe(true);
    budget.check(0);
    expect(budget.isExceeded).toBe(false);
  });

  it('lets those who wait go on when children that counted have not started', async () => {
    const { budget } = setUp();
    let refuse: (error: Error) => void = () => {};
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    const starts = Array.from({ length: 7 }, () => budget.whileStarting(() => refused));
    const waiting = budget.waitForMemory(30_000);
    refuse(new Error('not started'));
    expect((await Promise.allSettled(starts)).map(({ status }) => status)).toEqual(Array(7).fill('rejected'));
    await waiting;
  });

  it('E6 stops the largest children at a quarter above the budget, and each of them once', () => {
    const { budget, start, stopped } = setUp();
    start(1, 20);
    start(2, 70);
    start(3, 60);
    start(4, 10);
    budget.check(0);
    expect(stopped).toEqual([2]);
    budget.check(200);
    expect(stopped).toEqual([2]);
  });

  it('E6 stops the largest child when the budget stays exceeded, since nothing else can start', () => {
    const { budget, start, stopped } = setUp();
    start(1, 50);
    start(2, 60);
    budget.check(0);
    budget.check(1_999);
    expect(stopped).toEqual([]);
    budget.check(2_000);
    expect(stopped).toEqual([2]);
  });

  it('ends kept processes without work before any other child', () => {
    const { budget, start, stopped } = setUp();
    start(1, 90);
    start(2, 30, true);
    start(3, 40, true);
    budget.check(0);
    expect(stopped).toEqual([3, 2]);
  });

  it('an operation waits for memory, and its timer ends with the wait', async () => {
    const { budget, start } = setUp();
    const end = start(1, 110);
    budget.check(0);
    const waiting = budget.waitForMemory(30_000);
    end();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a wait for memory is bounded, and ends when its signal aborts', async () => {
    const { budget, start } = setUp();
    start(1, 110);
    budget.check(0);
    const late = budget.waitForMemory(1_000).catch(({ kind }: VcsError) => kind);
    const controller = new AbortController();
    const gone = budget.waitForMemory(30_000, controller.signal);
    controller.abort();
    await gone;
    await expect(budget.waitForMemory(0)).rejects.toMatchObject({ kind: 'busy' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe('busy');
  });
});
