import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const names = ['default', 'second'] as const;
let cluster: Cluster;
const workers: Awaited<ReturnType<Cluster['startWorker']>>[] = [];
let admin: Client;
let sql: postgres.Sql;
let remote: Remote;

beforeAll(async () => {
  const env = {
    TRUNKLINE_MAINTENANCE: 'true',
    TRUNKLINE_MAINTENANCE_CHANGES: '2',
    TRUNKLINE_LEASE_SECONDS: '3',
  };
  // Both workers serve both storages, and one of them holds the lease of each.
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'], env };
  cluster = await startCluster(options);
  for (let count = 0; count < 2; count += 1) workers.push(await cluster.startWorker());
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  remote = await makeGitRemote();
  await remote.commit({ [someFile]: '0' });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await remote.close();
});

async function make(repo_name: string, storage: string): Promise<void> {
  await admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: remote.url, storage });
}

async function change(...repositories: readonly string[]): Promise<void> {
  await remote.commit({ [someFile]: String(Math.random()) });
  for (const repoid of repositories) await admin.result('pull', { repoid });
}

const maintained = async (name: string) =>
  Number(
    (
      await sql`select count(*) from operations where kind = 'maintain' and state = 'done' and request->>'name' = ${name}`
    )[0]?.['count'],
  );

it('repositories are maintained after some changes, on storages where that is not paused, each once', async () => {
  const paused = await admin.result<{ storage: object }>('update_storage', { storage: 'default', maintenance: false });
  expect(paused.storage).toMatchObject({ name: 'default', maintenance: false });
  for (const name of names) await make(`on-${name}`, name);
  // The second change; the first was the import.
  await change('on-default', 'on-second');
  await eventually(
    () => maintained('on-second'),
    (found) => found > 0,
    60,
  );
  expect(await maintained('on-default')).toBe(0);
  const [operation] = await admin.result<object[]>('list_operations', {});
  expect(operation).toMatchObject({ kind: 'maintain', repo_name: 'on-second', state: 'done', user: null });

  await admin.result('update_storage', { storage: 'second', state: 'read-only' });
  await sql`update repository_maintenance set changes = 2
    where repository_id = (select id from repositories where name = 'on-second')`;
  await admin.result('update_storage', { storage: 'default', maintenance: true });
  await eventually(
    () => maintained('on-default'),
    (found) => found > 0,
    60,
  );
  expect([await maintained('on-default'), await maintained('on-second')]).toEqual([1, 1]);
  await admin.result('update_storage', { storage: 'second', state: 'active' });
  await eventually(
    () => maintained('on-second'),
    (found) => found === 2,
    60,
  );
  const left = await sql`select 1 from repository_maintenance where changes > 0`;
  expect(left).toHaveLength(0);
}, 180_000);

it('a repository with one change is maintained once it is quiet', async () => {
  await make('quiet', 'second');
  const ofQuiet = sql`repository_id = (select id from repositories where name = 'quiet')`;
  await sql`update repository_maintenance set changed_at = now() - interval '61 minutes' where ${ofQuiet}`;
  await eventually(
    () => maintained('quiet'),
    (found) => found === 1,
    60,
  );
  const files = await readdir(join(cluster.storageRoots['second'] ?? '', '@staging'));
  expect(files.filter((file) => file !== '.probe')).toEqual([]);
}, 120_000);

it('a copy of an earlier release whose HEAD leads to no branch is mended once a worker has started', async () => {
  await make('dangling', 'second');
  const [row] = await sql`select storage_path as path from repositories where name = 'dangling'`;
  const head = join(cluster.storageRoots['second'] ?? '', String(row?.['path']), 'HEAD');
  const sound = await readFile(head, 'utf8');
  await sql`update repository_maintenance set changes = 0`;
  for (const worker of workers) await worker.stop();
  await writeFile(head, 'ref: refs/heads/gone\n');
  await cluster.startWorker();
  await eventually(
    () => readFile(head, 'utf8'),
    (found) => found === sound,
    60,
  );
  await eventually(
    () => maintained('dangling'),
    (found) => found === 1,
    60,
  );
}, 180_000);
