import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { atShare, median, report } from './median.ts';

const rows = Number(process.env['TRUNKLINE_TEST_AUDIT_ROWS'] ?? 2_000_000);
/** Of ten days. */
const secondsBetween = 864_000 / rows;
const [seconds, perSecond] = [8, 40];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_AUDIT_DAYS: '30' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 4, onnotice: () => {} });
  await admin.result('create_repo', { repo_name: 'one', repo_type: 'git' });
  // Of ten days, two months ago: old enough to be removed, but the worker looks again only in ten minutes. Those that failed have an operation each, so that none of them is a failed start.
  await sql`insert into audit_log (request_id, at, actor_id, actor, ip, method, args, outcome, repository_id)
    select gen_random_uuid(), now() - interval '60 days' - make_interval(secs => (${rows}::int - n) * ${secondsBetween}::float8), n % 500, 'somebody', '10.0.0.1',
      (array['pull', 'lock', 'update_repo', 'update_user'])[1 + n % 4], '{"repoid":"group/repository"}',
      case when n % 20 = 0 then 'failed' else 'succeeded' end, n % 5000
    from generate_series(1, ${rows}::int) n order by n`;
  await sql`insert into operations (id, kind, repository_id, actor_id, request, state, attempt, created_at, finished_at)
    select request_id, 'pull', repository_id, actor_id, '{}', 'failed', 1, at, at from audit_log
    where outcome = 'failed'`;
  await sql`vacuum analyze`;
}, 1_800_000);
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

it(`lists over ${rows} entries`, async () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const calls: [string, string, object][] = [
    ['list_operations', 'list_operations', {}],
    ['list_operations of state failed', 'list_operations', { state: 'failed' }],
    ['get_audit_log', 'get_audit_log', {}],
    ['get_audit_log of a method without entries', 'get_audit_log', { method: 'delete_user' }],
    ['get_audit_log of an outcome', 'get_audit_log', { outcome: 'failed' }],
    ['get_audit_log of a day', 'get_audit_log', { start_date: day(65), end_date: day(65) }],
    ['get_audit_log of a user and a day', 'get_audit_log', { userid: 'admin', end_date: day(65) }],
    ['get_consistency_report', 'get_consistency_report', {}],
  ];
  for (const [name, method, args] of calls) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) times.push(await timeOf(() => admin.result(method, args)));
    report(name, { 'median ms': median(times), 'max ms': Math.max(...times) });
  }
}, 120_000);

/** Calls methods at an even rate while `goesOn` says so, without waiting for earlier answers; returns the times. */
async function timesOfCalls(goesOn: (calls: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const began = performance.now();
  while (goesOn(pending.length)) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    for (let n = pending.length; n < due; n += 1) {
      const [method, args] = n % 2 === 0 ? (['get_repo', {}] as const) : (['lock', { locked: n % 4 === 1 }] as const);
      pending.push(timeOf(() => admin.call(method, { repoid: 'one', ...args })).then((ms) => void times.push(ms)));
    }
    await wait(1);
  }
  await Promise.all(pending);
  return times;
}

const removed = async () =>
  Number((await sql`select n_tup_del as count from pg_stat_user_tables where relname = 'audit_log'`)[0]?.['count']);

it(`D7 retention of ${rows} entries, and calls of another client beside it`, async () => {
  const forSeconds = (calls: number) => calls < seconds * perSecond;
  await timesOfCalls(forSeconds);
  const alone = await timesOfCalls(forSeconds);
  // A worker removes old rows when it starts.
  await cluster.startWorker();
  const [began, before] = [performance.now(), await removed()];
  let isOver = false;
  const calling = timesOfCalls(() => !isOver);
  let count = 0;
  while (count < rows && performance.now() - began < 400_000) {
    await wait(500);
    count = (await removed()) - before;
  }
  const took = (performance.now() - began) / 1_000;
  isOver = true;
  const beside = await calling;
  report('get_repo and lock of another client, 40/s', {
    'p50 alone ms': atShare(alone, 0.5),
    'p99 alone ms': atShare(alone, 0.99),
    'p50 beside ms': atShare(beside, 0.5),
    'p99 beside ms': atShare(beside, 0.99),
    ratio: atShare(beside, 0.99) / atShare(alone, 0.99),
    removed: count,
    'removed/hour': (count / took) * 3_600,
  });
}, 600_000);

/** Columns of the indexes of copies of the log: the first copy has the first of them, the last one has all. */
const indexes = [
  'id',
  'request_id',
  'actor_id, id',
  'repository_id, id',
  'method, outcome, id',
  // These were used by retention and by filters before.
  'at',
  'method, id',
];

it('cost of each index of the log for an insert', async () => {
  const inserted = 20_000;
  const insert = (table: string, count: number) =>
    sql.unsafe(`insert into ${table} (request_id, at, actor_id, actor, ip, method, args, outcome, repository_id)
      select gen_random_uuid(), now(), (random() * 500)::int, 'somebody', '10.0.0.1',
        (array['pull', 'lock', 'update_repo', 'update_user'])[1 + n % 4], '{"repoid":"group/repository"}', 'succeeded',
        (random() * 5000)::int from generate_series(1, ${count}) n`);
  const written = async () =>
    Number((await sql`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`)[0]?.['bytes']);
  const copies = indexes.map((columns, at) => ({
    columns,
    table: `copy_${at}`,
    times: [] as number[],
    bytes: [] as number[],
  }));
  for (const [at, { table }] of copies.entries()) {
    await sql.unsafe(`create table ${table} (like audit_log including defaults including identity)`);
    await insert(table, 10 * inserted);
    for (const columns of indexes.slice(0, at + 1)) await sql.unsafe(`create index on ${table} (${columns})`);
  }
  for (let round = 0; round < 9; round += 1) {
    for (const { table, times, bytes } of copies) {
      const before = await written();
      times.push((await timeOf(() => insert(table, inserted))) / inserted);
      bytes.push(((await written()) - before) / inserted);
    }
  }
  for (const [at, { columns, times, bytes }] of copies.entries()) {
    const figures = {
      'us a row': 1_000 * median(times),
      'fastest us': 1_000 * Math.min(...times),
      'WAL bytes': median(bytes),
    };
    report(`${at + 1} indexes, the last of them (${columns})`, figures);
  }
}, 300_000);
