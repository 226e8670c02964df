import { describe, expect, it } from 'vitest';
import { parseAuthor } from './author-name.ts';

describe('parseAuthor', () => {
  it.each([
    ['Ada Lovelace <ada@example.org>', 'Ada Lovelace', 'ada@example.org'],
    ['Ada <Countess> Lovelace <ada@example.org>', 'Ada <Countess> Lovelace', 'ada@example.org'],
    ['Ada <ada@example.org', 'Ada', 'ada@example.org'],
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
    expect(parseAuthor(author).name).toHaveLength(999_999);
  });
});
