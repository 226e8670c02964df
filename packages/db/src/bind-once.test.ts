import { and, eq, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { expect, it, vi } from 'vitest';
import { bindOnce } from './bind-once.ts';
import { casing } from './database.ts';
import { repositories, users } from './schema/index.ts';

const unsafe = vi.fn((_text: string, _values: readonly unknown[], _options: object) =>
  Object.assign(Promise.resolve([]), { values: async () => [] }),
);
const db = drizzle({ options: { parsers: {}, serializers: {} }, unsafe } as unknown as postgres.Sql, { casing });

const build = () =>
  db
    .select({ id: users.id, tip: repositories.lastChangeset })
    .from(users)
    .innerJoin(repositories, or(eq(repositories.ownerId, sql.placeholder('id')), eq(repositories.name, 'x')))
    .where(
      and(
        eq(users.id, sql.placeholder('id')),
        sql`${sql.placeholder('name')}::text is null or ${users.username} = ${sql.placeholder('name')}::text`,
        eq(repositories.lastChangeset, sql.placeholder('tip')),
      ),
    )
    .prepare('some');

it('sends each value once, as the column has it', async () => {
  const query = bindOnce(build());
  await query.execute({ id: 7, name: null, tip: { rawId: 'a' } });
  const [text, values, options] = unsafe.mock.calls[0] ?? [];
  expect(text).toContain('"owner_id" = $1 or "repositories"."name" = $2');
  expect(text).toContain('"users"."id" = $1 and $3::text is null or "users"."username" = $3::text');
  expect(values).toEqual([7, 'x', null, { rawId: 'a' }]);
  expect(options).toEqual({ prepare: true });
  expect(query.getQuery()).toMatchObject({ sql: text, params: { length: 4 } });
});

it('refuses a query without the value of a name', async () => {
  await expect(bindOnce(build()).execute({ id: 7, name: null })).rejects.toThrow('No value for placeholder "tip"');
});
