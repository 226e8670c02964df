import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it.each([
  ['Grüße 你好 🙂 "a" \\', 'Grüße 你好 🙂 "a" \\'],
  ['a\nb\r\tc', String.raw`a\nb\r\tc`],
  ['\u001b[2J\u0007\u009b31m\u007f\0', String.raw`\u001b[2J\u0007\u009b31m\u007f\u0000`],
  ['\u202egnp.exe\u2066\u2028\u2029\u200b\ufeff\u00ad', String.raw`\u202egnp.exe\u2066\u2028\u2029\u200b\ufeff\u00ad`],
  ['\ud800x', String.raw`\ud800x`],
  ['\u{e0041}', String.raw`\udb40\udc41`],
])('shows %j as %s', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it('returns nothing on which a terminal acts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});
