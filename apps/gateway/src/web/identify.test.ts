import { describe, expect, it, onTestFinished } from 'vitest';
import { UnavailableError } from '@trunkline/contracts';
import { openDatabase } from '@trunkline/db';
import { defaultUserIdReader, keyPages, sentKey } from './identify.ts';

it.each([
  [undefined, '', null],
  [undefined, 'api_key=', ''],
  [undefined, 'api_key=a', 'a'],
  ['Bearer b', '', 'b'],
  ['bearer b', 'api_key=a', 'b'],
  ['Bearer', 'api_key=a', ''],
  ['Bearer b c', 'api_key=a', 'b c'],
  ['Basic Yjpj', 'api_key=a', 'a'],
  ['Basic Yjpj', '', null],
])('finds in Authorization %s and the query ?%s the key %s', (authorization, query, expected) => {
  const headers = authorization === undefined ? {} : { authorization };
  expect(sentKey(headers, new URLSearchParams(query))).toBe(expected);
});

it('E12 without the database, nobody can be told whether anonymous visitors may read', async () => {
  // Nothing listens on this port.
  const { db, close } = openDatabase('postgres://127.0.0.1:1/none', { connectionsMax: 1, name: 'test' });
  onTestFinished(close);
  await expect(defaultUserIdReader(db)()).rejects.toThrow(UnavailableError);
});

describe('keyPages', () => {
  it('enables the feeds and nothing else by default', () => {
    const enabled = keyPages([]);
    expect(enabled('FeedController:rss')).toBe(true);
    expect(enabled('JournalController:public_journal_atom')).toBe(true);
    expect(enabled('FilesController:raw')).toBe(false);
  });

  it.each([
    'FilesController:rawX',
    'FilesController:ra',
    'filescontroller:raw',
    'FilesController:*',
    'FilesController',
  ])('B14 an entry %s does not enable FilesController:raw', (entry) =>
    expect(keyPages([entry])('FilesController:raw')).toBe(false),
  );

  it('B14 an entry enables the page of its name', () => {
    expect(keyPages(['FilesController:raw'])('FilesController:raw')).toBe(true);
  });
});
