import { expect, it } from 'vitest';
import { heavyMax, nextHeavyLimit, pauseAfter, unlimited } from './heavy-limit.ts';

const overloaded = { isOverloaded: true, hasLight: true };
const calm = { isOverloaded: false, hasLight: true };

it('falls below one request by overload, and grows by one in ten steps without', () => {
  let limit = unlimited;
  for (let index = 0; index < 9; index += 1) limit = nextHeavyLimit(limit, overloaded);
  expect(limit).toBe(0.125);
  expect(nextHeavyLimit(limit, overloaded)).toBe(0.125);
  for (let index = 0; index < 10; index += 1) limit = nextHeavyLimit(limit, calm);
  expect(limit).toBeCloseTo(1.125);
});

it('grows to what keeps a gateway busy, and ends at once when nobody is to be protected', () => {
  let limit = 1;
  for (let index = 0; index < 200; index += 1) limit = nextHeavyLimit(limit, calm);
  expect(limit).toBe(heavyMax);
  // Many requests that come before an overload is seen do not run all at once.
  expect(nextHeavyLimit(unlimited, calm)).toBe(heavyMax);
  expect(nextHeavyLimit(1, { isOverloaded: true, hasLight: false })).toBe(unlimited);
});

it('has requests run for a part of the time below one, with pauses of at most a second', () => {
  expect(pauseAfter(100, 0.25)).toBe(300);
  expect(pauseAfter(900, 0.25)).toBe(1_000);
  expect(pauseAfter(100, 1)).toBe(0);
  expect(pauseAfter(100, Infinity)).toBe(0);
});
