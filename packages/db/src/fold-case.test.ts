import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from './fold-case.ts';

describe('foldCase', () => {
  it.each([
    ['Alice', 'aLICE'],
    ['straße', 'STRASSE'],
    ['straße', 'STRAẞE'],
    ['İstanbul', 'i\u0307stanbul'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['οδυσσευσ', 'οδυσσευς'],
    ['Ж', 'ж'],
    ['é', 'E\u0301'],
    ['Å', '\u212b'],
    ['ǅ', 'ǆ'],
    ['ᾴ', 'α\u0345\u0301'],
  ])('takes %s and %s for the same', (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  it.each([
    ['e', 'é'],
    ['o', 'ö'],
    ['a', 'а'],
    ['ss', 's'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  it('leaves no letter of any script two keys', () => {
    const different: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const char = String.fromCodePoint(code);
      if (!/\p{L}|\p{M}/u.test(char)) continue;
      const forms = [char.toUpperCase(), char.toLowerCase(), char.normalize('NFD'), foldCase(char)];
      if (forms.some((form) => foldCase(form) !== foldCase(char))) different.push(char);
    }
    expect(different).toEqual([]);
  });

  it('does not depend on how a text is composed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(foldCase(value.normalize('NFD'))).toBe(foldCase(value));
      }),
    );
  });
});
