import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0, withoutSchema: true });
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  // In this database Postgres reports an older version.
  await sql`
    create function public.current_setting(name text) returns text language sql as $$
      select case name
        when 'server_version_num' then '120022'
        when 'server_version' then '12.22'
        else pg_catalog.current_setting(name)
      end
    $$`;
  await sql.unsafe(
    `alter database ${new URL(cluster.databaseUrl).pathname.slice(1)} set search_path = public, pg_catalog`,
  );
  await sql.end();
});
afterAll(() => cluster.stop());

it.each(['startGateway', 'startWorker'] as const)(
  '%s on a Postgres that is too old ends with a sentence',
  async (start) => {
    await expect(cluster[start]({ TRUNKLINE_MIGRATE_URL: '' })).rejects.toThrow(
      'The database server is Postgres 12.22; Trunkline needs Postgres 13 or newer',
    );
  },
);

it('an old database is not changed', async () => {
  const sql = postgres(cluster.databaseUrl, { max: 1 });
  expect(await sql`select 1 from pg_catalog.pg_tables where schemaname in ('public', 'drizzle')`).toEqual([]);
  await sql.end();
});
