import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { wholeNumber } from './whole-number.ts';

describe('wholeNumber', () => {
  it.each([
    [0, 0],
    [-1, -1],
    [100, 100],
    ['7', 7],
    ['-1', -1],
    ['007', 7],
  ])('reads %j as %j', (value, read) => {
    expect(v.parse(wholeNumber(-1, 100), value)).toBe(read);
  });

  it.each([[-2], [101], ['101'], [1.5], ['1.5'], [''], [' 1'], ['1e1'], ['9'.repeat(30)], [true], [null], [[]], [{}]])(
    'refuses %j',
    (value) => {
      expect(() => v.parse(wholeNumber(-1, 100), value)).toThrow('must be a whole number from -1 to 100');
    },
  );
});
