import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';

let cluster: Cluster;
let sql: postgres.Sql;

const oldRows = 18_000;
const retentionLock = 0x7472_6d77;

beforeAll(async () => {
  const env = { TRUNKLINE_AUDIT_DAYS: '30', TRUNKLINE_LOG_LEVEL: 'info' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

beforeEach(async () => {
  await sql`truncate operations, audit_log, sessions`;
  // The three newest rows are of today, the others two years old.
  const at = sql`case when n > ${oldRows}::int then now() else now() - interval '2 years' + make_interval(secs => n) end`;
  const rows = sql`generate_series(1, ${oldRows + 3}::int) n`;
  await sql`insert into operations (id, kind, repository_id, request, state, finished_at)
    select gen_random_uuid(), 'pull', n, '{}', 'done', ${at} from ${rows}`;
  await sql`insert into audit_log (request_id, at, actor_id, actor, ip, method, args, outcome)
    select gen_random_uuid(), ${at}, 1, n, '', 'pull', '{}', 'succeeded' from ${rows}`;
});

const countRows = async () => {
  const [row] = await sql<{ operations: number; auditEntries: number }[]>`select
    (select count(*)::int from operations) as operations, (select count(*)::int from audit_log) as "auditEntries"`;
  return row ?? expect.fail('no counts');
};

describe('old operations and audit entries', () => {
  it('are all removed, however many there are, and newer ones are kept', async () => {
    await sql`insert into storages (id, name, state) values
      (gen_random_uuid(), 'lost', 'lost'), (gen_random_uuid(), 'away', 'offline')`;
    await sql`insert into deleted_repositories
        (repository_id, operation_id, storage_id, name, owner_id, deleted_at, fork_ids, document)
      select n, gen_random_uuid(), s.id, s.name || n, 1, now() - make_interval(days => days), '{}', '{}'
      from (values ('lost', 1, 6), ('lost', 2, 8), ('away', 3, 8)) as kept (name, n, days) join storages s using (name)`;
    // A worker removes old rows in its first sweep; the first worker's next turn is ten minutes away.
    await cluster.startWorker();
    const counts = await eventually(countRows, ({ auditEntries }) => auditEntries <= 3);
    expect(counts).toEqual({ operations: 3, auditEntries: 3 });
    // The trash of a storage that is away is emptied when it is back.
    const kept = await sql`select name from deleted_repositories order by name`;
    expect(kept).toEqual([{ name: 'away3' }, { name: 'lost1' }]);
    expect(await sql`select actor::int - ${oldRows}::int as n from audit_log order by id`).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ]);
  });

  it('are left to the worker that is removing them', async () => {
    const before = await countRows();
    await sql`select pg_advisory_lock(${retentionLock}::bigint)`;
    await cluster.startWorker();
    await eventually(
      () => cluster.logs(),
      (logs) => logs.includes('another worker removes old rows'),
    );
    await sql`select pg_advisory_unlock(${retentionLock}::bigint)`;
    expect(await countRows()).toEqual(before);
  });

  it('are removed by another worker when the first one stops', async () => {
    const worker = await cluster.startWorker();
    await eventually(countRows, ({ operations }) => operations < oldRows);
    await worker.stop();
    await cluster.startWorker();
    const counts = await eventually(countRows, ({ auditEntries }) => auditEntries <= 3);
    expect(counts).toEqual({ operations: 3, auditEntries: 3 });
  });
});
