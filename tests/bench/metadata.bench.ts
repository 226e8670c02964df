import { fileURLToPath } from 'node:url';
import { openDatabase, type OpenDatabase } from '@trunkline/db';
import { startApp } from '@trunkline/local';
import postgres from 'postgres';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { inSnapshot } from '../../apps/vcs-worker/src/lists/in-snapshot.ts';
import { listReadable } from '../../apps/vcs-worker/src/repo/repository-store.ts';
import { loadPermissions } from '../../apps/vcs-worker/src/user/permissions-record.ts';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { loadOf, loadOfCalls, loopsOf, residentMb, type Load } from './load.ts';
import { median, report, timeRuns } from './median.ts';

let cluster: Cluster;
let sql: postgres.Sql;
let database: OpenDatabase;
let userId: number;
let userKey: string;

/** Adds repositories, without bytes, and permissions of a user who may read most of them. */
async function addRepositories(count: number): Promise<void> {
  await sql`insert into names (path, kind) select 'bench-' || n, 'repository' from generate_series(1, ${count}) n
    on conflict do nothing`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), path, 'git', 'ready', (select id from storages), 'bench/' || path, false,
      'The repository of a team', (select min(id) from users where admin), 'tip', false, false, false
    from names where path like 'bench-%' on conflict do nothing`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, 1 from repositories r, users u where u.id = ${userId} or u.username = 'default'
    on conflict do nothing`;
  await sql`analyze`;
}

beforeAll(async () => {
  const env = { TRUNKLINE_LOG_LEVEL: 'info' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  sql = postgres(cluster.databaseUrl, { max: 4, onnotice: () => {} });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 4, name: 'bench' });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'reader', email: 'reader@example.com' });
  const user = await admin.result<{ user_id: number; api_key: string }>('get_user', { userid: 'reader' });
  [userId, userKey] = [user.user_id, user.api_key];
  await addRepositories(1_000);
});

afterAll(async () => {
  await sql.end();
  await database.close();
  await cluster.stop();
});

const ours = (method: string, args: object = {}) => loadOfCalls(cluster.baseUrl, userKey, method, [args]);

async function reportLoad(what: string, load: Load, floor: Load): Promise<void> {
  report(`${what}, 32 connections`, {
    'requests/s': load.perSecond,
    'p50 ms': load.p50,
    'p99 ms': load.p99,
    'floor/s': floor.perSecond,
    ratio: load.perSecond / floor.perSecond,
    'gateway MB': await residentMb(cluster.gateways[0]?.pid),
    'worker MB': await residentMb(cluster.workers[0]?.pid),
  });
}

/** Measures a bare gateway and worker that return what they were sent after one prepared select. */
async function busEcho(args: unknown): Promise<Load> {
  const script = (name: string) => fileURLToPath(new URL(`baseline/${name}.mjs`, import.meta.url));
  const env = { NATS_URL: cluster.nats.url, DATABASE_URL: cluster.databaseUrl };
  const worker = await startApp({ entry: script('echo-worker'), env });
  const gateway = await startApp({ entry: script('echo-gateway'), env });
  try {
    const { port } = v.parse(v.object({ port: v.number() }), gateway.ready);
    const body = JSON.stringify({ id: 1, args: { args } });
    return await loadOf(`http://127.0.0.1:${port}/echo`, [body]);
  } finally {
    await gateway.kill();
    await worker.kill();
  }
}

describe('1 000 repositories, one gateway, one worker', () => {
  it('get_repo, against the bare echo of its reply', async () => {
    const record = await createClient(cluster.baseUrl, userKey).result('get_repo', { repoid: 'bench-500' });
    await reportLoad('get_repo', await ours('get_repo', { repoid: 'bench-500' }), await busEcho(record));
  }, 60_000);

  it('get_user with 1 000 permissions, against its queries and JSON', async () => {
    const subject = { id: userId, admin: false };
    const floor = () => loadPermissions(database.db, subject, { withNone: false }).then(JSON.stringify);
    await reportLoad('get_user', await ours('get_user'), await loopsOf(floor));
  }, 60_000);

  it('get_repos of 1 000, against its query and JSON', async () => {
    const floor = () =>
      inSnapshot(database.db, (tx) => listReadable(tx, userId, { limit: 1_000, cursor: null })).then(JSON.stringify);
    await reportLoad('get_repos', await ours('get_repos'), await loopsOf(floor));
  }, 60_000);

  it('grant_user_permission, against its one statement', async () => {
    const rows = await sql<{ id: number }[]>`select id from repositories order by id`;
    // Concurrent calls have different repositories, so that they do not wait for a lock on one row.
    const args = rows.map(({ id }) => ({ repoid: id, userid: 'reader', perm: 'repository.write' }));
    const load = await loadOfCalls(cluster.baseUrl, cluster.adminKey, 'grant_user_permission', args);
    const floor = (index: number) => sql`insert into user_repository_permissions (user_id, repository_id, level)
      values (${userId}, ${rows[index % rows.length]?.id ?? 0}, 3)
      on conflict (user_id, repository_id) do update set level = excluded.level`;
    await reportLoad('grant_user_permission', load, await loopsOf(floor));
  }, 60_000);

  it('get_repos of 10 000, one call, against its query and JSON', async () => {
    await addRepositories(10_000);
    const body = JSON.stringify({ id: 1, api_key: userKey, method: 'get_repos', args: {} });
    const call = async () => (await fetch(`${cluster.baseUrl}/_admin/api`, { method: 'POST', body })).arrayBuffer();
    const floor = () =>
      inSnapshot(database.db, (tx) => listReadable(tx, userId, { limit: 10_000, cursor: null })).then(JSON.stringify);
    const [called, queried] = [median(await timeRuns(20, call)), median(await timeRuns(20, floor))];
    report('get_repos of 10 000, ms', {
      ours: called,
      'query and JSON': queried,
      ratio: called / queried,
      'reply MB': (await call()).byteLength / 1e6,
    });
  }, 60_000);
});
