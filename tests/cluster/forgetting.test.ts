import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';

let cluster: Cluster;
let sql: postgres.Sql;

beforeAll(async () => {
  const env = { TRUNKLINE_AUDIT_DAYS: '30' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const left = async () => {
  const [row] = await sql<{ operations: number; calls: number }[]>`select
    (select count(*)::int from operations) as operations, (select count(*)::int from audit_log) as calls`;
  return row ?? expect.fail('no counts');
};

describe('old operations and audit entries', () => {
  it('goes in portions, the oldest first: sweeps wait for it', async () => {
    const kept = 3;
    const rows = 20_000 + kept;
    await sql`insert into operations (id, kind, repository_id, request, state, finished_at)
      select gen_random_uuid(), 'pull', n, '{}', 'done', now() - interval '10 years' + make_interval(secs => n)
      from generate_series(1, ${rows}::int) n`;
    await sql`insert into audit_log (request_id, at, actor_id, actor, ip, method, args, outcome)
      select gen_random_uuid(), now() - interval '10 years' + make_interval(secs => n), 1, n, '', 'pull', '{}', 'succeeded'
      from generate_series(1, ${rows}::int) n`;
    await cluster.startWorker();
    expect(await eventually(left, ({ calls }) => calls < rows)).toEqual({ operations: kept, calls: kept });
    expect(await sql`select actor from audit_log order by id`).toMatchObject([
      { actor: '20001' },
      { actor: '20002' },
      { actor: '20003' },
    ]);
  });
});
