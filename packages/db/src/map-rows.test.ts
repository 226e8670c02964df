import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { expect, it } from 'vitest';
import { mapRowsByPlan } from './map-rows.ts';
import { repositories, users } from './schema/index.ts';

/** A client of Postgres that answers every query with these rows. */
function clientOf(rows: readonly (readonly unknown[])[]) {
  const answered = { values: async () => rows };
  return { options: { parsers: {}, serializers: {} }, unsafe: () => answered } as unknown as postgres.Sql;
}

const owners = alias(users, 'owners');

/** A query with all that a record may have: joined tables with and without rows, times, expressions, parts of a record. */
function queryOn(rows: readonly (readonly unknown[])[]) {
  return drizzle(clientOf(rows), { casing: 'snake_case' })
    .select({
      id: users.id,
      lastLogin: users.lastLogin,
      owner: { id: owners.id, name: owners.username },
      count: sql<number>`count(*)`.mapWith(Number),
      repository: {
        tip: sql<string | null>`tip`.as('tip'),
        name: repositories.name,
        createdAt: repositories.createdAt,
        ownerName: owners.username,
      },
      lone: { changeset: repositories.lastChangeset, tip: sql<string>`tip`.as('lone_tip') },
      level: sql<number>`level`,
    })
    .from(users)
    .leftJoin(owners, eq(owners.id, users.id))
    .innerJoin(repositories, and(eq(repositories.ownerId, users.id)))
    .prepare('all_kinds');
}

const time = '2026-11-23 10:00:00.123+00';
const rows = [
  [1, time, 2, 'ann', '3', 'tip', 'tools/x', time, 'ann', { rawId: 'a' }, 'lone', 4],
  [1, null, null, null, '0', null, 'tools/x', time, null, null, null, null],
  [1, null, null, 'ann', '0', 'tip', null, null, null, null, 'lone', 0],
  [1, null, 2, null, '0', 'tip', null, null, 'ann', { rawId: 'b' }, null, 0],
];

it('converts rows as drizzle does', async () => {
  const expected = await queryOn(rows).execute();
  expect(expected[0]).toMatchObject({ lastLogin: new Date(time), count: 3, owner: { name: 'ann' } });
  expect(expected[1]).toMatchObject({ owner: null });
  const mapped = mapRowsByPlan(queryOn(rows));
  expect(await mapped.execute()).toEqual(expected);
  // Drizzle's own conversion is not run.
  expect(mapped).toHaveProperty('customResultMapper', expect.any(Function));
});

it('leaves queries without rows alone', async () => {
  const query = drizzle(clientOf([])).delete(users).prepare('none');
  expect(mapRowsByPlan(query)).toHaveProperty('customResultMapper', undefined);
});
