import { expect, it } from 'vitest';
import { cutText } from './cut-text.ts';
import { messageParts } from './message-parts.ts';

it.each([
  ['one', 'one', ''],
  ['\n one \n\n  two\nthree\n', 'one', 'two\nthree'],
  ['one\r\ntwo', 'one', 'two'],
  ['one\rtwo', 'one', 'two'],
  [' \n', '', ''],
])('splits %j into %j and %j', (message, about, more) => {
  expect(messageParts(message)).toEqual({ about, more });
});

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['ab😀', 3, 'ab…'],
  ['a😀b', 3, 'a😀…'],
])('cuts %j at %d to %j', (text, charsMax, cut) => {
  expect(cutText(text, charsMax)).toBe(cut);
});
