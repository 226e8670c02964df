import * as fc from 'fast-check';
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

  it('accepts exactly the integers in its range, as numbers or as digits', () => {
    const likely = fc.oneof(fc.integer({ min: -20, max: 120 }), fc.stringMatching(/^[-+ ]?[0-9]{1,3}(\.0|e1|n)?$/));
    fc.assert(
      fc.property(fc.oneof(likely, fc.jsonValue()), (value) => {
        const number = v.safeParse(wholeNumber(-1, 100), value);
        const written = typeof value === 'number' || (typeof value === 'string' && /^-?[0-9]+$/.test(value));
        const inRange = written && Number.isInteger(Number(value)) && Number(value) >= -1 && Number(value) <= 100;
        expect(number.success).toBe(inRange);
        expect(number.output).toEqual(inRange ? Number(value) : number.output);
      }),
    );
  });
});
