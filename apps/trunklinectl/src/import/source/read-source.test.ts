import { describe, expect, it } from 'vitest';
import { readSource } from './read-source.ts';
import type { SourceDatabase, SourceRow } from './read-table.ts';

/** A database of which each table has the columns of its rows. */
function databaseOf(tables: Readonly<Record<string, readonly SourceRow[]>>): SourceDatabase {
  const rowsOf = (table: string) => [...(tables[table] ?? [])];
  return {
    columns: async (table) => [...new Set(rowsOf(table).flatMap((row) => Object.keys(row)))],
    rows: async (table) => rowsOf(table),
    size: async (table) => ({ rows: rowsOf(table).length, bytes: 0 }),
  };
}

const key = (api_key: string, expires: string | null): SourceRow => ({ user_id: '2', api_key, expires });
const repository = (repo_id: string, columns: SourceRow): SourceRow => ({ repo_id, ...columns });
const needed = {
  permissions: [{ permission_id: '1', permission_name: 'repository.read' }],
  users: [
    { user_id: '1', username: 'default', email: null, created_on: '2014-03-02 10:20:30.123456' },
    { user_id: '2', username: 'ann', email: null, created_on: null },
  ],
  users_groups: [{ users_group_id: '1' }],
  users_groups_members: [{ users_group_id: '1', user_id: '2' }],
  groups: [{ group_id: '1' }],
};

describe('readSource', () => {
  it('reads expiries with a fraction, -1 and none, and dates without a zone', async () => {
    const keys = [
      key('a', '1400000000.25'),
      key('b', '-1'),
      key('c', '-1.0'),
      key('d', null),
      key('e', 'soon'),
      key('f', '1e300'),
    ];
    const database = databaseOf({ ...needed, repositories: [repository('1', {})], user_api_keys: keys });
    const source = await readSource(database, 'kallithea', 'Europe/Berlin');
    const [everyone, ann] = source.users;
    expect(ann?.furtherKeys.map(({ expiresAt }) => expiresAt?.toISOString() ?? null)).toEqual([
      '2014-05-13T16:53:20.250Z',
      null,
      null,
      null,
      '1970-01-01T00:00:00.000Z',
      null,
    ]);
    expect([everyone?.createdAt?.toISOString(), ann?.createdAt, ann?.email]).toEqual([
      '2014-03-02T09:20:30.123Z',
      null,
      null,
    ]);
  });

  it.each([
    ['rev:tip', 'tip'],
    ['branch:default', 'branch:default'],
    ['book:main', 'book:main'],
    ['tag:v1:2', 'tag:v1:2'],
    ['branch:', 'tip'],
    ['stable', 'stable'],
    ['', 'tip'],
    [null, 'tip'],
  ])('reads the landing revision %j as %s', async (landing_revision, expected) => {
    const database = databaseOf({ ...needed, repositories: [repository('1', { landing_revision })] });
    const { repositories } = await readSource(database, 'kallithea', 'UTC');
    expect(repositories[0]?.landingRev).toBe(expected);
  });

  it.each([
    ['2:1400000000.5', { userId: 2, at: new Date(1_400_000_000_500) }],
    ['2:1400000000.5:pull', { userId: 2, at: new Date(1_400_000_000_500) }],
    ['2:', null],
    [`2:${'9'.repeat(40)}`, null],
    ['', null],
    [null, null],
  ])('reads the lock %j', async (locked, expected) => {
    const database = databaseOf({ ...needed, repositories: [repository('1', { locked })] });
    const { repositories } = await readSource(database, 'rhodecode', 'UTC');
    expect(repositories[0]?.lock).toEqual(expected);
  });

  it('hides a repository of which the database does not say whether it is private', async () => {
    const rows = [
      repository('1', { private: null }),
      repository('2', { private: 'false' }),
      repository('3', { private: '0' }),
      repository('4', { private: 't' }),
    ];
    const { repositories } = await readSource(databaseOf({ ...needed, repositories: rows }), 'kallithea', 'UTC');
    expect(repositories.map((one) => one.private)).toEqual([true, false, false, true]);
  });

  it('refuses a database of another kind', async () => {
    await expect(readSource(databaseOf({ users: needed.users }), 'kallithea', 'UTC')).rejects.toThrow(
      'no table `permissions`',
    );
    const nobody = { ...needed, users: [{ user_id: '2', username: 'ann' }], repositories: [repository('1', {})] };
    await expect(readSource(databaseOf(nobody), 'kallithea', 'UTC')).rejects.toThrow('no user `default`');
  });
});
