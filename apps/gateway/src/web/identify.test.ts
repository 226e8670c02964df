import { describe, expect, it, onTestFinished } from 'vitest';
import { UnavailableError } from '@trunkline/contracts';
import { openDatabase } from '@trunkline/db';
import { defaultUserIdReader, keyPages, sentKey } from './identify.ts';

const basic = `Basic ${Buffer.from('ann:a').toString('base64')}`;

it.each([
  [undefined, '', null],
  [undefined, 'api_key=', { apiKey: '', name: null }],
  [undefined, 'api_key=a', { apiKey: 'a', name: null }],
  ['Bearer b', '', { apiKey: 'b', name: null }],
  ['bearer b', 'api_key=a', { apiKey: 'b', name: null }],
  ['Bearer', 'api_key=a', { apiKey: '', name: null }],
  ['Bearer b c', 'api_key=a', { apiKey: 'b c', name: null }],
  [basic, 'api_key=a', { apiKey: 'a', name: null }],
  [basic, '', { apiKey: 'a', name: 'ann' }],
  ['Basic AAAA', '', { apiKey: '', name: '' }],
])('finds in Authorization %s and the query ?%s the key %o', (authorization, query, expected) => {
  const headers = authorization === undefined ? {} : { authorization };
  expect(sentKey(headers, new URLSearchParams(query), 'FilesController:raw')).toEqual(expected);
});

it.each(['FeedController:rss', 'JournalController:public_journal_atom', 'FilesController:archivefile'] as const)(
  'finds a name and a key for %s, and none for a page of people',
  (page) => {
    expect(sentKey({ authorization: basic }, new URLSearchParams(), page)?.name).toBe('ann');
    expect(sentKey({ authorization: basic }, new URLSearchParams(), 'FilesController:index')).toBeNull();
  },
);

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
