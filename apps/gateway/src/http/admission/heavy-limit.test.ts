import { expect, it } from 'vitest';
import { nextHeavyLimit, unlimited } from './heavy-limit.ts';

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

it('ends when there was no overload for long, and at once when nobody is to be protected', () => {
  let limit = 1;
  for (let index = 0; index < 700; index += 1) limit = nextHeavyLimit(limit, calm);
  expect(limit).toBe(unlimited);
  expect(nextHeavyLimit(limit, calm)).toBe(unlimited);
  expect(nextHeavyLimit(1, { isOverloaded: true, hasLight: false })).toBe(unlimited);
});
