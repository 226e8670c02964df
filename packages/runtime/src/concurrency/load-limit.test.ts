import { expect, it } from 'vitest';
import { nextLoadLimit, pauseAfter } from './load-limit.ts';

const bounds = { min: 0.25, max: 2 };

it('is halved by overload and grows by a tenth without, within its bounds', () => {
  expect(nextLoadLimit(2, true, bounds)).toBe(1);
  expect(nextLoadLimit(0.25, true, bounds)).toBe(0.25);
  expect(nextLoadLimit(1, false, bounds)).toBeCloseTo(1.1);
  expect(nextLoadLimit(2, false, bounds)).toBe(2);
});

it('has requests run for a part of the time below one, with pauses of at most a second', () => {
  expect(pauseAfter(100, 0.25)).toBe(300);
  expect(pauseAfter(900, 0.25)).toBe(1_000);
  expect(pauseAfter(100, 1)).toBe(0);
  expect(pauseAfter(100, Infinity)).toBe(0);
});
