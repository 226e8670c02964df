import { describe, expect, it } from 'vitest';
import { messageParts, parseAuthor } from './changeset-text.ts';
import { cutText } from './shown-text.ts';

describe('parseAuthor', () => {
  it.each([
    ['Ada Lovelace <ada@example.org>', 'Ada Lovelace', 'ada@example.org'],
    ['Ada <Countess> Lovelace <ada@example.org>', 'Ada <Countess> Lovelace', 'ada@example.org'],
    ['Ada <ada@example.org', 'Ada', 'ada@example.org'],
    ['Ada <<ada@example.org>>', 'Ada', 'ada@example.org'],
    ['Ada<ada@example.org>', 'Ada', 'ada@example.org'],
    ['Ada <>', 'Ada', null],
    ['<ada@example.org>', 'ada', 'ada@example.org'],
    ['ada@example.org', 'ada', 'ada@example.org'],
    ['ada', 'ada', null],
    ['  ', 'unknown', null],
    ['<>', 'unknown', null],
    ['@', '@', null],
  ])('splits %j into the name %j and the e-mail address %j', (author, name, email) => {
    expect(parseAuthor(author)).toEqual({ name, email });
  });

  it('splits a hostile name of a million characters in time', () => {
    const author = '<'.repeat(1_000_000);
    expect(parseAuthor(author).name).toHaveLength(999_998);
  });
});

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
