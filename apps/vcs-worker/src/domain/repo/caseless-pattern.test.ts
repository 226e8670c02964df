import { describe, expect, it } from 'vitest';
import { caselessPattern } from './caseless-pattern.ts';

describe('caselessPattern', () => {
  it.each([
    ['aB1', '[aA][Bb]1'],
    ['É', '[Éé]'],
    ['e\u0301', '[éÉ]'],
    ['ß日', 'ß日'],
    ['𐐀', '[𐐀𐐨]'],
  ])('matches %s in upper and lower case', (text, pattern) => {
    expect(caselessPattern(text)).toBe(pattern);
  });

  it('D1 escapes every metacharacter of a regular expression', () => {
    expect(caselessPattern('.*')).toBe('\\U0000002e\\U0000002a');
    for (let code = 1; code < 128; code += 1) {
      expect(caselessPattern(String.fromCharCode(code))).toMatch(/^(\[[a-zA-Z]{2}\]|[0-9]|\\U[0-9a-f]{8})$/);
    }
  });
});
