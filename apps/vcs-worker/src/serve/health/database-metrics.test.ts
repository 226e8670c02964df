import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keptFigures } from './database-metrics.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('reads once for all scrapes within five seconds', async () => {
  let at = 0;
  const read = vi.fn(async () => at);
  const figures = keptFigures({ read, now: () => at });
  expect(await Promise.all([figures(), figures()])).toEqual([0, 0]);
  at = 4_999;
  expect(await figures()).toBe(0);
  at = 5_000;
  expect(await figures()).toBe(5_000);
  expect(read).toHaveBeenCalledTimes(2);
});

it('gives a scrape nothing when the database fails, or does not answer in two seconds, and asks it once', async () => {
  const failing = keptFigures({ read: () => Promise.reject(new Error('away')) });
  expect(await failing()).toBeNull();

  const read = vi.fn(() => new Promise<number>(() => {}));
  const hanging = keptFigures({ read });
  const scrapes = Promise.all([hanging(), hanging()]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await scrapes).toEqual([null, null]);
  const later = hanging();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await later).toBeNull();
  expect(read).toHaveBeenCalledTimes(1);
});
