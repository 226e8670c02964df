import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts';

let server: OwnPostgres;
let cluster: Cluster;
let sql: postgres.Sql;

beforeAll(async () => {
  // Processes that start beside one that declares too many connections are refused as well: those of other tests use another server.
  server = await startOwnPostgres();
  cluster = await startCluster({ postgresUrl: server.url, gateways: 1, workers: 1 });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await server.stop();
});

/** Defaults of a worker, with the connection for heartbeats, and of a gateway. */
const ofWorker = 4 + 6 + 1;
const ofGateway = 3;
const maximum = async () => {
  const [row] = await sql<{ allowed: number }[]>`select current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as allowed`;
  return row?.allowed ?? 0;
};
const refusal = (own: number, allowed: number) =>
  new RegExp(
    `This process opens up to ${own} database connections, other processes of Trunkline up to \\d+, and \\d+ are ` +
      `open otherwise; Postgres allows ${allowed}: raise its max_connections`,
  );

it('E6 a start of a worker beside the gateway and the worker that run is refused in one line', async () => {
  const allowed = await maximum();
  // Beside one of the two it would fit.
  const own = allowed - ofWorker - ofGateway + 1;
  const env = { TRUNKLINE_READ_CONNECTIONS: String(own - 4), TRUNKLINE_WRITE_CONNECTIONS: '3' };
  await expect(cluster.startWorker(env)).rejects.toThrow(refusal(own, allowed));
});

it('E6 a start of a gateway that opens more connections than Postgres allows is refused in one line', async () => {
  const allowed = await maximum();
  const env = { TRUNKLINE_GATEWAY_CONNECTIONS: String(allowed + 1) };
  await expect(cluster.startGateway(env)).rejects.toThrow(refusal(allowed + 1, allowed));
});

it('E6 each connection of a worker declares the sum of its pools', async () => {
  const open = await sql<{ name: string }[]>`
    select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'vcs-worker %'`;
  expect(open.length).toBeGreaterThan(0);
  expect(open.filter(({ name }) => !name.endsWith(` ${ofWorker}`))).toEqual([]);
});
