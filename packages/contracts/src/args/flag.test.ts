import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { flag } from './flag.ts';

const trueWords = ['true', 't', 'yes', 'y', 'on', '1'];
const falseWords = ['false', 'f', 'no', 'n', 'off', '0'];
const inAllForms = (words: readonly string[]) =>
  words.flatMap((word) => [word, word.toUpperCase(), ` ${word}\t`]).map((word): [string] => [word]);

describe('flag', () => {
  it.each<[string | boolean]>([[true], ...inAllForms(trueWords)])('reads %j as true', (value) => {
    expect(v.parse(flag, value)).toBe(true);
  });

  it.each<[string | boolean]>([[false], ...inAllForms(falseWords)])('reads %j as false', (value) => {
    expect(v.parse(flag, value)).toBe(false);
  });

  it.each([[''], [' '], ['2'], ['tru'], ['none'], ['constructor'], [0], [1], [null], [[]], [[true]], [{}]])(
    'refuses %j',
    (value) => {
      expect(() => v.parse(flag, value)).toThrow('must be a boolean');
    },
  );

  it('refuses every value except a boolean and the known words', () => {
    const knownWords = new Set([...trueWords, ...falseWords]);
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 5 }), fc.jsonValue()), (value) => {
        const isKnownWord = typeof value === 'string' && knownWords.has(value.trim().toLowerCase());
        expect(v.is(flag, value)).toBe(isKnownWord || typeof value === 'boolean');
      }),
    );
  });
});
