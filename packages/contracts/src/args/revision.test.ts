import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { revision } from './revision.ts';

describe('revision', () => {
  it.each([[''], ['tip'], ['a'.repeat(1_000)], ['--config=x'], [0], [-1], [12345678901], [null]])(
    'passes %j on to the back end',
    (value) => {
      expect(v.parse(revision, value)).toBe(value);
    },
  );

  it.each([
    [1.5, 'must be a string or an integer'],
    [true, 'must be a string or an integer'],
    [['tip'], 'must be a string or an integer'],
    [{}, 'must be a string or an integer'],
    ['a'.repeat(1_001), 'must be at most 1000 characters'],
    ['tip\0', 'must not contain NUL'],
    ['\udc00', 'must be well-formed Unicode'],
  ])('refuses %j', (value, reason) => {
    expect(() => v.parse(revision, value)).toThrow(reason);
  });
});
