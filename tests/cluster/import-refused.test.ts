import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { withPostgres } from '../../apps/trunklinectl/src/import/source/open-postgres.ts';
import { openTestDatabase } from '../harness/test-database.ts';

it('refuses a view and a computed column of a source in Postgres, and names the table of an error', async () => {
  const { url } = await openTestDatabase(inject('postgresUrl'), 'import_refused');
  const client = postgres(url, { max: 1, onnotice: () => {} });
  await client`create view permissions as
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers) select n from numbers`;
  await client`create table groups (group_id integer, group_name text generated always as ('x') stored)`;
  await client`create table repositories_fields as select 12 as field_id`;
  await client.end();
  await withPostgres(url, async (source) => {
    await expect(source.columns('permissions')).rejects.toThrow('`permissions` of the database is no table');
    await expect(source.columns('groups')).rejects.toThrow('column `group_name` of the table `groups` is computed');
    expect(await source.size('repositories_fields', ['field_id'])).toEqual({ rows: 1, bytes: 2 });
  });
  await expect(withPostgres(url, (source) => source.rows('repositories_fields', ['none']))).rejects.toThrow(
    'the table `repositories_fields` of the database cannot be read: column "none" does not exist',
  );
});
