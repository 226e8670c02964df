import { describe, expect, it } from 'vitest';
import { shownLines, shownText } from './shown-text.ts';

describe('shownText', () => {
  it.each([
    ['a\nb\tc', 'a␊b␉c'],
    ['\u0000\u001b[31mred\u007f', '␀␛[31mred␡'],
    ['invoice\u202Efdp.exe', 'invoice\\u{202E}fdp.exe'],
    ['\u2066a\u2069 \u202Ab\u202C', '\\u{2066}a\\u{2069} \\u{202A}b\\u{202C}'],
    ['a\u0085b\u009Fc\u2028d\u2029', 'a\\u{85}b\\u{9F}c\\u{2028}d\\u{2029}'],
    ['Ærø שלום 👩‍👩‍👧 <b>', 'Ærø שלום 👩‍👩‍👧 <b>'],
  ])('shows %j as %j', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('keeps line feeds and tabs in text of several lines', () => {
    expect(shownLines('a\n\tb\r\u202E')).toBe('a\n\tb␍\\u{202E}');
  });
});
