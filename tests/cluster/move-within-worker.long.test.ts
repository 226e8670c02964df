import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { describeTree, expectTree } from '../harness/describe-tree.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

type Worker = Awaited<ReturnType<Cluster['startWorker']>>;

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;
let remote: Remote;

beforeEach(async () => {
  const env = { TRUNKLINE_FORK_WAIT: '25' };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'], env };
  cluster = await startCluster(options);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remote = await makeRemote.git();
});
afterEach(async () => {
  await sql.end();
  await cluster.stop();
  await remote.close();
});

/** Imports a repository whose files cannot be compressed. */
async function makeRepository(): Promise<void> {
  await remote.commit({ large: randomBytes(300_000).toString('latin1'), [someFile]: 'y' });
  const args = { repo_name: 'moved', repo_type: 'git', clone_uri: remote.url, storage: 'default' };
  await admin.result('create_repo', args);
}

async function pathNow(): Promise<string> {
  const [row] = await sql<{ name: string; path: string }[]>`
    select s.name, r.storage_path as path from repositories r join storages s on s.id = r.storage_id`;
  return join(cluster.storageRoots[row?.name ?? ''] ?? '', row?.path ?? '');
}

async function metricsOf({ ready }: Worker): Promise<string> {
  return (await fetch(`http://127.0.0.1:${String(Object(ready).metricsPort)}/metrics`)).text();
}

/** Moves the repository, all of which has to arrive, and returns the bytes that the data port of the target received. */
async function bytesOfMove(storage: string, target: Worker): Promise<number> {
  const received = async () =>
    Number(/trunkline_data_bytes_total\{direction="in"\} (\d+)/.exec(await metricsOf(target))?.[1] ?? 0);
  const [from, before] = [await pathNow(), await received()];
  const expected = await describeTree(from);
  const { task } = await admin.result<{ task: null }>('move_repo', { repoid: 'moved', storage });
  expect(task).toBeNull();
  expect(await pathNow()).not.toBe(from);
  await expectTree(await pathNow(), expected);
  expect(await metricsOf(target)).toContain('trunkline_copy_actions_total{action="publish",outcome="done"} 1');
  return (await received()) - before;
}

// Gateways send some bytes to see whether they reach the data port.
const fewBytes = 100_000;

it('a move between two storages of one worker opens no transfer, and brings all there', async () => {
  const worker = await cluster.startWorker();
  await makeRepository();
  expect(await bytesOfMove('second', worker)).toBeLessThan(fewBytes);
});

it('a move between two workers of one machine sends files only where the path of the other storage is wrong', async () => {
  const { default: root = '', second: secondRoot = '' } = cluster.storageRoots;
  const notMounted = `${root}-not-mounted`;
  await mkdir(notMounted);
  const first = await cluster.startWorker({
    TRUNKLINE_STORAGES: `default=${root}`,
    TRUNKLINE_STORAGE_CREATE: '',
    TRUNKLINE_COPY_STORAGES: `second=${secondRoot}`,
  });
  const second = await cluster.startWorker({
    TRUNKLINE_STORAGES: `second=${secondRoot}`,
    TRUNKLINE_STORAGE_CREATE: 'second',
    TRUNKLINE_COPY_STORAGES: `default=${notMounted}`,
  });
  await makeRepository();
  expect(await bytesOfMove('second', second)).toBeLessThan(fewBytes);
  expect(await bytesOfMove('default', first)).toBeGreaterThan(fewBytes);
});
