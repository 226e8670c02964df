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
  ])('takes %j for %j and %j', (author, name, email) => {
    expect(parseAuthor(author)).toEqual({ name, email });
  });

  it('takes no time over a hostile name', () => {
    const author = '<'.repeat(1_000_000);
    expect(parseAuthor(author).name).toHaveLength(999_999);
  });
});
