import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const types = ['hg', 'git'] as const;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let remotes: readonly Remote[];

beforeAll(async () => {
  const options = { postgresUrl: inject('postgresUrl'), gateways: 2, workers: 2, storages: ['second'] };
  cluster = await startCluster({ ...options, withDefaults: true });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  remotes = await Promise.all(types.map((type) => makeRemote[type]()));
  for (const [at, remote] of remotes.entries()) {
    const type = types[at];
    await remote.commit({ [someFile]: '0' });
    const args = { repo_name: `kept-${type}`, repo_type: type, clone_uri: remote.url, storage: 'default' };
    await admin.result('create_repo', args);
  }
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await Promise.all(remotes.map((remote) => remote.close()));
});

it('packs a repository after the twentieth change', async () => {
  const pullChange = async (change: number) => {
    for (const [at, remote] of remotes.entries()) {
      await remote.commit({ [someFile]: String(change) });
      await admin.result('pull', { repoid: `kept-${types[at]}` });
    }
  };
  await pullChange(1);
  // The ones between are counted, and not made.
  expect(await sql`update repository_maintenance set changes = 18 returning 1`).toHaveLength(types.length);
  await pullChange(19);
  const begun = () => sql<{ state: string }[]>`select state from operations where kind = 'maintain'`;
  expect(await begun()).toEqual([]);
  await pullChange(20);
  await eventually(begun, (rows) => rows.filter(({ state }) => state === 'done').length === types.length, 60);
});

it('moves repositories away from a storage that is draining', async () => {
  await admin.result('update_storage', { storage: 'default', state: 'draining' });
  const left = () => sql`select 1 from repositories r join storages s on s.id = r.storage_id where s.name = 'default'`;
  await eventually(left, (rows) => rows.length === 0, 60);
  for (const type of types) {
    const args = { repoid: `kept-${type}`, revision: 'tip', root_path: '/' };
    expect(await admin.result('get_repo_nodes', args)).toMatchObject([{ name: someFile }]);
  }
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoots),
    (found) => found.length === 0,
  );
});

it('E8 a gateway that is told to stop says that it is not ready, and answers until load balancers have noticed', async () => {
  const [stopping] = cluster.gateways;
  if (!stopping) throw new Error('no gateway');
  const status = async (path: string) => (await fetch(`${stopping.baseUrl}${path}`)).status;
  expect(await status('/readyz')).toBe(200);
  process.kill(stopping.pid, 'SIGTERM');
  await eventually(
    () => status('/readyz'),
    (code) => code === 503,
  );
  expect(
    await createClient(stopping.baseUrl, cluster.adminKey).result('get_repo', { repoid: 'kept-git' }),
  ).toMatchObject({
    repo_name: 'kept-git',
  });
  expect(await stopping.exited).toBe('exit code 0');
  expect((await fetch(`${cluster.baseUrls[1]}/readyz`)).status).toBe(200);
});
