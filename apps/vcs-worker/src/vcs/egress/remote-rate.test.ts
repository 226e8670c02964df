import { expect, it } from 'vitest';
import { RemoteRate } from './remote-rate.ts';

function setUp(bytesPerSecondMin = 1_000) {
  const clock = { now: 0 };
  const rate = new RemoteRate({ bytesPerSecondMin, windowMs: 60_000 }, () => clock.now);
  rate.asked();
  /** Has the remote send bytes after a wait. */
  const after = (ms: number, bytes: number) => {
    clock.now += ms;
    return rate.received(bytes);
  };
  return { clock, rate, after };
}

it('E6 a remote that sends less than the limit for a minute is slow, however it spreads its bytes', () => {
  const dripping = setUp();
  const answers = Array.from({ length: 61 }, () => dripping.after(1_000, 900));
  expect(answers.indexOf(true)).toBe(59);
  const sparse = setUp();
  expect([sparse.after(50_000, 1), sparse.after(50_000, 1)]).toEqual([false, true]);
  const later = setUp();
  expect(later.after(60_000, 1e9)).toBe(false);
  expect(later.after(60_000, 59_000)).toBe(true);
});

it('a remote that sends at the limit is not slow, and none is when there is no limit', () => {
  const { after } = setUp();
  for (let second = 0; second < 300; second += 1) expect(after(1_000, 1_000)).toBe(false);
  expect(setUp(0).after(1e6, 1)).toBe(false);
});

it('time that the tool takes for itself does not count', () => {
  const { clock, rate, after } = setUp();
  expect(after(1, 10)).toBe(false);
  clock.now += 1e6;
  rate.asked();
  expect(after(1, 10)).toBe(false);
  rate.paused();
  expect(after(1e6, 10)).toBe(false);
  expect(after(59_000, 10)).toBe(false);
  expect(after(1_000, 10)).toBe(true);
});
