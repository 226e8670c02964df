import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { byForm } from '../harness/long-form.ts';
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts';

const clients = byForm(1_000, 2_000);
const repositories = 40;
/** Matches the errors of an overloaded service. */
const overload =
  /^(Service is (busy|temporarily unavailable), try again later|The outcome of operation \S+ is not known yet.*)$/;

let server: OwnPostgres;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await startOwnPostgres();
  // The database driver reads this option, too: in so short a pipeline BEGIN is often the query that fills it.
  const env = { PGMAX_PIPELINE: '2' };
  cluster = await startCluster({ postgresUrl: server.url, gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1 });
  const names = Array.from({ length: repositories }, (_, index) => `many-${index}`);
  await Promise.all(names.map((repo_name) => admin.result('create_repo', { repo_name, repo_type: 'git' })));
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await cluster.kill();
  await server.stop();
});

it(`${clients} clients at once change and read repositories: each change is a transaction of its own`, async () => {
  const replies = await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const repoid = `many-${index % repositories}`;
      const writes = index % 4 === 0;
      const reply = await (writes
        ? admin.call('update_repo', { repoid, description: `of client ${index}` })
        : admin.call('get_repo', { repoid }));
      return { writes, ...reply };
    }),
  );
  expect((await server.log()).match(/.*transaction in progress/g)).toBeNull();
  expect(replies.flatMap(({ error }) => (error === null || overload.test(error) ? [] : [error]))).toEqual([]);

  const acknowledged = replies.filter(({ writes, error }) => writes && error === null).length;
  const [recorded] = await sql<{ count: number }[]>`
    select count(*)::int from audit_log where method = 'update_repo' and outcome = 'succeeded'`;
  expect(acknowledged).toBeGreaterThan(0);
  expect(recorded?.count).toBeGreaterThanOrEqual(acknowledged);
});
