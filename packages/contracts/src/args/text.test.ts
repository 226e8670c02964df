import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { text } from './text.ts';

describe('text', () => {
  it.each(['', 'abc', 'a\nb', '日本', '\u{1f600}a', '\u0001'])('keeps %j as it is', (value) => {
    expect(v.parse(text(3), value)).toBe(value);
  });

  it.each([
    ['abcd', 'must be at most 3 characters'],
    ['\u{1f600}\u{1f600}', 'must be at most 3 characters'],
    ['a\0b', 'must not contain NUL'],
    ['\ud83d', 'must be well-formed Unicode'],
    ['\ude00\ud83d', 'must be well-formed Unicode'],
    [1, 'must be a string'],
    [null, 'must be a string'],
    [true, 'must be a string'],
    [['a'], 'must be a string'],
    [{}, 'must be a string'],
  ])('refuses %j', (value, reason) => {
    expect(() => v.parse(text(3), value)).toThrow(reason);
  });

  it('accepts a string exactly when it is well-formed, short enough and without NUL', () => {
    const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x61, 0xd83d, 0xde00)));
    fc.assert(
      fc.property(units, (codes) => {
        const value = String.fromCharCode(...codes);
        const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
        expect(v.is(text(5), value)).toBe(value.length <= 5 && !value.includes('\0') && !loneSurrogate);
      }),
    );
  });
});
