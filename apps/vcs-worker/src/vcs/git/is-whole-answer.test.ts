import { expect, it } from 'vitest';
import { isWholeAnswer } from './is-whole-answer.ts';

it.each([
  ['one line', '0006a\n0000', true],
  ['several parts, the last one ended', '0006a\n00000006b\n0000', true],
  ['an empty line, a delimiter', '000400010000', true],
  ['upper case lengths', '000Aabcdef0000', true],
  ['nothing', '', false],
  ['no flush at the end', '0006a\n', false],
  ['a flush in the middle only', '0006a\n00000006b\n', false],
  ['cut in a line', '0032aaaa', false],
  ['cut in a line whose end looks like a flush', '0032aaaa0000', false],
  ['cut in a length', '0006a\n000', false],
  ['lengths of no line', '00020000', false],
  ['three is no length', '00030000', false],
  ['no hexadecimal digits', '0x1f0000', false],
  ['html', '<!doctype html><title>0000', false],
])('%s', (_name, answer, expected) => {
  expect(isWholeAnswer(Buffer.from(answer))).toBe(expected);
});

it('D8 a flood of lines with nothing in them is no answer', () => {
  const flood = Buffer.from(`${'0004'.repeat(1_000_001)}0000`);
  expect(isWholeAnswer(flood)).toBe(false);
});
