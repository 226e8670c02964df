import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from './columns.ts';

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
  ])('gives %s and %s the same form', (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  it.each([
    ['e', 'é'],
    ['o', 'ö'],
    ['a', 'а'],
    ['ss', 's'],
  ])('gives %s and %s different forms', (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  it('gives upper and lower case of every letter of every script the same form', () => {
    const different: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const char = String.fromCodePoint(code);
      if (!/\p{L}|\p{M}/u.test(char)) continue;
      const forms = [char.toUpperCase(), char.toLowerCase(), char.normalize('NFD'), foldCase(char)];
      if (forms.some((form) => foldCase(form) !== foldCase(char))) different.push(char);
    }
    expect(different).toEqual([]);
  });

  it('gives composed and decomposed text the same form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(foldCase(value.normalize('NFD'))).toBe(foldCase(value));
      }),
    );
  });
});
