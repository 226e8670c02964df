import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Condition, withTimeout } from './waits.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const after = (ms: number, failing: boolean) =>
  new Promise<string>((resolve, reject) => {
    setTimeout(() => (failing ? reject(new Error('failed')) : resolve('done')), ms);
  });

it('settles with the promise or at the time limit, whichever is first, and leaves no timer', async () => {
  const time = fc.integer({ min: 1, max: 100 });
  await fc.assert(
    fc.asyncProperty(time, time, fc.boolean(), async (workMs, limitMs, failing) => {
      fc.pre(workMs !== limitMs);
      const work = after(workMs, failing);
      const timers = vi.spyOn(globalThis, 'setTimeout');
      const ended = vi.spyOn(globalThis, 'clearTimeout');
      const outcome = withTimeout(work, limitMs, () => 'late').catch(() => 'failed');
      const [timer] = timers.mock.results;
      await vi.advanceTimersByTimeAsync(Math.min(workMs, limitMs));
      expect(await outcome).toBe(workMs > limitMs ? 'late' : failing ? 'failed' : 'done');
      // Not their number: other files leave work behind that sets timers.
      expect(ended).toHaveBeenCalledWith(timer?.value);
      vi.restoreAllMocks();
      await vi.advanceTimersByTimeAsync(100);
    }),
  );
});

it('rejects with the error that `late` throws', async () => {
  const never = new Promise<never>(() => {});
  const late = () => {
    throw new Error('too late');
  };
  const outcome = withTimeout(never, 1, late);
  outcome.catch(() => {});
  await vi.advanceTimersByTimeAsync(1);
  await expect(outcome).rejects.toThrow('too late');
});

it('resolves for all who wait, and not for who waits later', async () => {
  const condition = new Condition();
  condition.notifyAll();
  const resolved: string[] = [];
  const waitAs = (name: string) => condition.wait().then(() => resolved.push(name));
  const both = Promise.all([waitAs('one'), waitAs('two')]);
  condition.notifyAll();
  const later = waitAs('later');
  await both;
  expect(resolved).toEqual(['one', 'two']);
  condition.notifyAll();
  await later;
  expect(resolved).toEqual(['one', 'two', 'later']);
});
