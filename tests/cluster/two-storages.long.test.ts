import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { makeOnDisk } from '../harness/repositories-on-disk.ts';
import { someFile } from '../harness/unique-name.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const storageNames = ['default', 'second'] as const;
const types = ['hg', 'git'] as const;
type Name = (typeof storageNames)[number];
type Worker = Awaited<ReturnType<Cluster['startWorker']>>;

let cluster: Cluster;
let sql: postgres.Sql;
let remotes: Record<(typeof types)[number], Remote>;
/** One client for each gateway. */
let clients: readonly [Client, Client];
let admin: Client;
const workers: Record<Name, Worker[]> = { default: [], second: [] };

/** Starts two workers that serve one of the storages, and no lane `metadata`. */
async function startWorkersOf(name: Name): Promise<void> {
  const env = {
    TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
    TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push',
    // No fork goes on in the background.
    TRUNKLINE_FORK_WAIT: '25',
  };
  // The first one claims the storage.
  const first = await cluster.startWorker(env);
  workers[name] = [first, await cluster.startWorker(env)];
}

const isServed = (name: Name, served: boolean) =>
  Promise.all(
    cluster.baseUrls.map((url) =>
      eventually(
        () => readReadiness(url),
        ({ missing, unserved }) =>
          missing.length === 0 && unserved?.some((lane) => lane.endsWith(` ${name}`)) === !served,
      ),
    ),
  );

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 0, storages: ['second'] });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await cluster.startWorker({ TRUNKLINE_LANES: 'metadata', TRUNKLINE_STORAGES: '', TRUNKLINE_STORAGE_CREATE: '' });
  for (const name of storageNames) await startWorkersOf(name);
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of types) await remotes[type].commit({ [someFile]: 'first\n' });
  const [one = '', other = ''] = cluster.baseUrls;
  clients = [createClient(one, cluster.adminKey), createClient(other, cluster.adminKey)];
  [admin] = clients;
  await isServed('second', true);
}, 120_000);
afterAll(async () => {
  for (const type of types) await remotes[type].close();
  await sql.end();
  await cluster.stop();
});

async function storageOf(name: string): Promise<string> {
  const [row] = await sql`
    select s.name from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
  return String(row?.['name']);
}

const nodesOf = async (client: Client, repoid: string) => {
  const nodes = await client.result<{ name: string }[]>('get_repo_nodes', { repoid, revision: 'tip', root_path: '/' });
  return nodes.map(({ name }) => name);
};

describe.each(storageNames)('on the storage `%s`', (storage) => {
  it.each(types)('a repository is made, imported, pulled, forked, adopted and deleted: %s', async (type) => {
    const [one, other] = clients;
    const prefix = `${storage}-${type}`;
    const make = (repo_name: string, more = {}) =>
      one.result('create_repo', { repo_name, repo_type: type, storage, ...more });
    await make(`${prefix}/empty`);
    await make(`${prefix}/copy`, { clone_uri: remotes[type].url });
    expect(await nodesOf(other, `${prefix}/copy`)).toContain(someFile);
    const more = `more-on-${storage}`;
    await remotes[type].commit({ [more]: 'second\n' });
    await other.result('pull', { repoid: `${prefix}/copy` });
    expect(await nodesOf(one, `${prefix}/copy`)).toContain(more);
    await other.result('fork_repo', { repoid: `${prefix}/copy`, fork_name: `${prefix}/fork` });
    expect(await nodesOf(other, `${prefix}/fork`)).toContain(more);

    const found = join(cluster.storageRoots[storage] ?? '', `${prefix}/found`);
    await mkdir(dirname(found), { recursive: true });
    await makeOnDisk[type](found);
    expect(await one.result('rescan_repos')).toMatchObject({ added: [`${prefix}/found`], removed: [] });
    const made = ['empty', 'copy', 'fork', 'found'].map((name) => `${prefix}/${name}`);
    expect(await Promise.all(made.map(storageOf))).toEqual(made.map(() => storage));

    await other.result('delete_repo', { repoid: `${prefix}/copy`, forks: 'delete' });
    await one.result('delete_repo', { repoid: `${prefix}/empty` });
    const left = await sql`select name from repositories where name like ${`${prefix}/%`}`;
    expect(left).toMatchObject([{ name: `${prefix}/found` }]);
    expect(await findInconsistencies(sql, cluster.storageRoots)).toEqual([]);
  });
});

/** Waits for a fork; on a busy machine it goes on after the answer. */
const isReady = (repoid: string) =>
  eventually(
    () => admin.call('get_repo', { repoid }),
    ({ error }) => error === null,
  );

describe.each(types)('a fork onto another storage: %s', (type) => {
  it('arrives there whole, and is a repository like any other', async () => {
    const [one, other] = clients;
    const repoid = `source-${type}`;
    const fork = `elsewhere/${type}`;
    const clone_uri = remotes[type].url;
    await one.result('create_repo', { repo_name: repoid, repo_type: type, storage: 'default', clone_uri });
    await one.result('fork_repo', { repoid, fork_name: fork, storage: 'second' });
    await isReady(fork);
    expect(await storageOf(fork)).toBe('second');
    expect(await nodesOf(other, fork)).toEqual(await nodesOf(other, repoid));
    await other.result('fork_repo', { repoid: fork, fork_name: `${fork}-back`, storage: 'default' });
    await isReady(`${fork}-back`);
    expect(await nodesOf(one, `${fork}-back`)).toEqual(await nodesOf(other, repoid));
    const [of] = await sql`select size_bytes from repositories where name = ${fork}`;
    expect(Number(of?.['size_bytes'])).toBeGreaterThan(0);
    expect(await sql`select * from repository_copies`).toEqual([]);
    // Also clears the staging of both ends.
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoots),
      (found) => found.length === 0,
    );
    for (const name of [`${fork}-back`, fork, repoid]) await one.result('delete_repo', { repoid: name });
  });

  it('is refused for a storage that is not there or takes none, and for anybody but administrators', async () => {
    const repoid = `kept-${type}`;
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, storage: 'default' });
    const refused = (storage: string) => admin.error('fork_repo', { repoid, fork_name: 'refused', storage });
    expect(await refused('none')).toBe('Invalid value for `storage`: no storage has the name `none`');
    await sql`update storages set state = 'draining' where name = 'second'`;
    expect(await refused('second')).toBe('Storage `second` is draining');
    await sql`update storages set state = 'active' where name = 'second'`;
    await admin.result('create_user', { username: `bob-${type}`, email: `bob-${type}@example.com` });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: `bob-${type}` });
    const bob = createClient(cluster.baseUrl, api_key);
    const args = { repoid, fork_name: 'refused', storage: 'second' };
    expect(await bob.error('fork_repo', args)).toBe('Only admin can specify `storage` param');
  });
});

/** Makes calls of several kinds about a storage, through both gateways, until `done`; returns the errors of all. */
async function callUntil(done: Promise<unknown>, storage: Name): Promise<readonly string[]> {
  const ended = new AbortController();
  const stopped = done.finally(() => ended.abort());
  const errors: string[] = [];
  const loop = async (client: Client, at: number) => {
    for (let round = 0; round === 0 || !ended.signal.aborted; round += 1) {
      const repo_name = `during/${storage}-${at}-${round}`;
      const calls = [
        ['create_repo', { repo_name, repo_type: 'git', storage }],
        ['get_repo_nodes', { repoid: `alone-${storage}-${at}`, revision: 'tip', root_path: '/' }],
        ['pull', { repoid: `alone-${storage}-${at}` }],
        ['get_changesets', { repoid: `alone-${storage}-${at}`, limit: 5 }],
        ['get_repo', { repoid: repo_name }],
        ['delete_repo', { repoid: repo_name }],
      ] as const;
      for (const [method, args] of calls) {
        const { error } = await client.call(method, args);
        if (error !== null) errors.push(`${method}: ${error}`);
      }
    }
  };
  await Promise.all([stopped, ...clients.map(loop)]);
  return errors;
}

it('a storage whose workers are killed leaves every call about the other one as it was', async () => {
  for (const storage of storageNames) {
    for (const at of clients.keys()) {
      const more = { repo_type: 'git', storage, clone_uri: remotes.git.url };
      await admin.result('create_repo', { repo_name: `alone-${storage}-${at}`, ...more });
    }
  }
  const stop = async () => {
    await Promise.all(workers.second.map((worker) => worker.kill()));
    await isServed('second', false);
  };
  const errors = await callUntil(stop(), 'default');
  expect(errors).toEqual([]);

  for (const client of clients) {
    // Nothing ran: who had waited in vain for an answer would be told that the outcome is not known.
    for (const [method, more] of [
      ['invalidate_cache', {}],
      ['delete_repo', {}],
      ['fork_repo', { fork_name: 'refused' }],
      ['get_repo_nodes', { revision: 'tip', root_path: '/' }],
    ] as const) {
      expect(await client.error(method, { repoid: 'alone-second-0', ...more })).toBe(unavailable);
    }
    expect(await client.result('get_repo', { repoid: 'alone-second-1' })).toMatchObject({
      repo_name: 'alone-second-1',
    });
  }
  const elsewhere = { repoid: 'alone-default-0', fork_name: 'refused', storage: 'second' };
  expect(await admin.error('fork_repo', elsewhere)).toBe('failed to fork repository `alone-default-0` as `refused`');
  expect((await readReadiness(cluster.baseUrl)).status).toBe(200);
  expect(await admin.result('get_consistency_report')).toMatchObject({ away: ['second'] });

  // Only a worker that was stopped ends its lease itself.
  await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
  await startWorkersOf('second');
  await isServed('second', true);
  for (const storage of storageNames) {
    expect(await callUntil(Promise.resolve(), storage)).toEqual([]);
  }
  // A sweep at the target removes what the fork that was refused has announced there.
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoots),
    (found) => found.length === 0,
  );
});
