import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { describe, expect, it, vi } from 'vitest';
import { casing } from './database.ts';
import { prepared, preparedSql } from './prepared.ts';
import { repositories, users } from './schema/index.ts';

/** A connection that answers every statement with the same rows. */
function connectionWith(rows: readonly unknown[]) {
  const unsafe = vi.fn((_text: string, _values: unknown[], _options: object) =>
    Object.assign(Promise.resolve(rows), { values: async () => rows }),
  );
  const client = { options: { parsers: {}, serializers: {} }, unsafe } as unknown as Sql;
  return { unsafe, db: drizzle(client, { casing }) };
}

const build = vi.fn((db: Parameters<Parameters<typeof prepared>[0]>[0]) =>
  db
    .select({ name: repositories.name, at: repositories.createdAt, owner: { id: users.id, name: users.username } })
    .from(repositories)
    .leftJoin(users, eq(users.id, repositories.ownerId))
    .where(eq(repositories.id, sql.placeholder('id')))
    .prepare('some'),
);
const one = prepared(build);

describe('prepared', () => {
  it('builds a query once, and sends it on the connection that it is asked for', async () => {
    const [first, second] = [connectionWith([]), connectionWith([])];
    await one(first.db).execute({ id: 1 });
    const query = one(second.db);
    await one(first.db).execute({ id: 2 });
    await query.execute({ id: 3 });
    expect(build).toHaveBeenCalledTimes(1);
    expect(first.unsafe.mock.calls.map(([, values]) => values)).toEqual([[1], [2]]);
    expect(second.unsafe.mock.calls.map(([, values, options]) => [values, options])).toEqual([
      [[3], { prepare: true }],
    ]);
    expect(second.unsafe.mock.calls[0]?.[0]).toBe(first.unsafe.mock.calls[0]?.[0]);
  });

  it('maps rows as drizzle does, with joined tables that have no row', async () => {
    const at = '2026-01-02 03:04:05+00';
    const { db } = connectionWith([
      ['a', at, 7, 'ann'],
      ['b', at, null, null],
    ]);
    expect(await one(db).execute({ id: 1 })).toEqual([
      { name: 'a', at: new Date(at), owner: { id: 7, name: 'ann' } },
      { name: 'b', at: new Date(at), owner: null },
    ]);
  });

  it('fails for a query that belongs to no connection', async () => {
    const known: unknown[] = [];
    const query = prepared((db) => {
      const built = db.select({ id: users.id }).from(users).prepare('none');
      known.push(built);
      return built;
    });
    query(connectionWith([]).db);
    const [built] = known as [{ execute(): Promise<unknown> }];
    await expect(built.execute()).rejects.toThrow('the query belongs to no connection');
  });
});

describe('preparedSql', () => {
  it('returns rows as the driver reads them', async () => {
    const { db, unsafe } = connectionWith([{ n: 1 }]);
    const add = preparedSql(sql`select ${sql.placeholder('a')}::int + 1 as n`);
    expect(await add(db).execute({ a: 0 })).toEqual([{ n: 1 }]);
    expect(unsafe).toHaveBeenCalledWith('select $1::int + 1 as n', [0], { prepare: true });
  });
});
