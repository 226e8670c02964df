import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const storageNames = ['default', 'second'] as const;
const bytesOnly = 'storage,download,transfer,wire,wire-push';

let cluster: Cluster;
let sql: postgres.Sql;
/** One client for each gateway. */
let clients: readonly Client[];
let admin: Client;
let workers: Record<(typeof storageNames)[number], Awaited<ReturnType<Cluster['startWorker']>>>;

/** Starts a worker that serves one of the storages. */
function startWorkerOf(name: (typeof storageNames)[number]) {
  return cluster.startWorker({
    TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
    TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    TRUNKLINE_LANES: bytesOnly,
  });
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 0, storages: ['second'] });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await cluster.startWorker({ TRUNKLINE_LANES: 'metadata', TRUNKLINE_STORAGES: '' });
  workers = { default: await startWorkerOf('default'), second: await startWorkerOf('second') };
  clients = cluster.baseUrls.map((url) => createClient(url, cluster.adminKey));
  [admin] = clients as [Client];
  for (const url of cluster.baseUrls) {
    // A gateway reads the list of storages again after some seconds.
    await eventually(
      () => readReadiness(url),
      ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0,
    );
  }
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const storageOf = async (name: string) => {
  const [row] = await sql`
    select s.name from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
  return String(row?.['name']);
};

describe.each(storageNames)('a repository of the storage `%s`', (storage) => {
  it.each(['hg', 'git'])('is created, read, forked and deleted through either gateway: %s', async (type) => {
    const [one, other] = clients as [Client, Client];
    const repoid = `${storage}-${type}`;
    await one.result('create_repo', { repo_name: repoid, repo_type: type, storage });
    expect(await storageOf(repoid)).toBe(storage);
    for (const client of [other, one, other]) {
      const nodes = { repoid, revision: 'tip', root_path: '/' };
      // Both say so: the repository has no changeset.
      expect(await client.error('get_repo_nodes', nodes)).toBe(`failed to get repo: \`${repoid}\` nodes`);
      expect(await client.result('invalidate_cache', { repoid })).toBe(
        `Caches of repository \`${repoid}\` was invalidated`,
      );
    }
    await other.result('fork_repo', { repoid, fork_name: `${repoid}-fork` });
    expect(await storageOf(`${repoid}-fork`)).toBe(storage);
    await one.result('delete_repo', { repoid: `${repoid}-fork` });
    await other.result('delete_repo', { repoid });
    expect(await findInconsistencies(sql, cluster.storageRoots)).toEqual([]);
  });
});

it('a gateway whose hint is old asks the storage that the worker names', async () => {
  const repoid = 'moved';
  await admin.result('create_repo', { repo_name: repoid, repo_type: 'git', storage: 'default' });
  await admin.result('invalidate_cache', { repoid });
  const [row] = await sql<{ storage_path: string }[]>`select storage_path from repositories where name = ${repoid}`;
  const [from, to] = storageNames.map((name) => join(cluster.storageRoots[name] ?? '', row?.storage_path ?? ''));
  await cp(String(from), String(to), { recursive: true });
  await sql`update repositories set storage_id = (select id from storages where name = 'second') where name = ${repoid}`;
  await rm(String(from), { recursive: true });
  for (const client of clients) expect(await client.result('invalidate_cache', { repoid })).toContain('invalidated');
});

it('a call without the right gets the same answer about a repository that is elsewhere and about none', async () => {
  await admin.result('create_repo', { repo_name: 'hidden', repo_type: 'hg', storage: 'second', private: true });
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  for (const url of cluster.baseUrls) {
    const ann = createClient(url, api_key);
    for (const repoid of ['hidden', 'missing']) {
      expect(await ann.error('fork_repo', { repoid, fork_name: 'x' })).toBe(`repository \`${repoid}\` does not exist`);
    }
  }
});

it('new repositories are spread over both storages, and go where one of them is closed', async () => {
  const names = Array.from({ length: 24 }, (_, at) => `spread-${at}`);
  for (const repo_name of names) await admin.result('create_repo', { repo_name, repo_type: 'git' });
  expect(new Set(await Promise.all(names.map(storageOf)))).toEqual(new Set(storageNames));

  await sql`update storages set state = 'draining' where name = 'default'`;
  for (let at = 0; at < 6; at += 1) {
    await admin.result('create_repo', { repo_name: `closed-${at}`, repo_type: 'git' });
    expect(await storageOf(`closed-${at}`)).toBe('second');
  }
  await sql`update storages set state = 'active' where name = 'default'`;
});

it('a storage without workers touches its repositories alone', async () => {
  for (const storage of storageNames) {
    await admin.result('create_repo', { repo_name: `alone-${storage}`, repo_type: 'hg', storage });
  }
  await workers.second.kill();
  const calls = async (client: Client) => {
    const answers = [];
    for (const storage of storageNames) {
      const { error } = await client.call('invalidate_cache', { repoid: `alone-${storage}` });
      answers.push(error);
    }
    return answers;
  };
  for (const client of clients) expect(await calls(client)).toEqual([null, unavailable]);
  expect((await readReadiness(cluster.baseUrl)).unserved).toEqual(
    ['storage', 'download', 'transfer', 'wire', 'wire-push'].map((lane) => `${lane} of storage second`),
  );
  // The gateway chooses a storage by chance; one without workers is passed over.
  for (let at = 0; at < 6; at += 1) {
    await admin.result('create_repo', { repo_name: `beside-${at}`, repo_type: 'git' });
    expect(await storageOf(`beside-${at}`)).toBe('default');
  }
  workers = { ...workers, second: await startWorkerOf('second') };
  for (const client of clients) expect(await calls(client)).toEqual([null, null]);
});
