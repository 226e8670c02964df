import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsistencyRecord } from '@trunkline/contracts';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { makeOnDisk } from '../harness/repositories-on-disk.ts';

const marker = '.trunkline-storage';
const unavailable = 'Service is temporarily unavailable, try again later';
const names = ['default', 'second'] as const;
type Name = (typeof names)[number];

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let roots: Record<Name, string>;
let ann: Client;

beforeAll(async () => {
  const env = { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_STORAGE_PROBE_SECONDS: '1' };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, storages: ['second'], env };
  cluster = await startCluster(options);
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  roots = { default: cluster.storageRoot, second: cluster.storageRoots['second'] ?? '' };
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, key);
  for (const storage of names) await make(`on-${storage}`, { storage });
});
afterEach(() => sql`update storages set state = 'active'`);
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const make = (repo_name: string, args = {}) => admin.result('create_repo', { repo_name, repo_type: 'git', ...args });
const setState = (name: Name, state: string) => sql`update storages set state = ${state} where name = ${name}`;
const consistency = () => admin.result<ConsistencyRecord>('get_consistency_report');

async function storagesOf(prefix: string): Promise<string[]> {
  const rows = await sql<{ storage: string }[]>`
    select s.name as storage from repositories r join storages s on s.id = r.storage_id
      where r.name like ${`${prefix}%`} order by r.name`;
  return rows.map(({ storage }) => storage);
}

/** Acts while the files below a path are elsewhere. */
async function without(path: string, act: () => Promise<void>): Promise<void> {
  const away = join(path, '..', `.away-${randomUUID()}`);
  await rename(path, away);
  try {
    await act();
  } finally {
    await rename(away, path);
  }
}

describe('a worker with two storages', () => {
  it('spreads new repositories, and records the sizes of the storages', async () => {
    // All on one storage: once in a million runs.
    for (let at = 0; at < 21; at += 3) await Promise.all([0, 1, 2].map((n) => make(`spread-${at + n}`)));
    expect(new Set(await storagesOf('spread-'))).toEqual(new Set(names));
    const seen = await eventually(
      () => sql<Record<string, unknown>[]>`
        select name, capacity_bytes > 0 and free_bytes > 0 as sized, seen_at is not null as seen from storages`,
      (rows) => rows.every(({ seen: isSeen }) => isSeen),
    );
    expect(seen).toEqual(expect.arrayContaining(names.map((name) => ({ name, sized: true, seen: true }))));
    expect(await findInconsistencies(sql, roots)).toEqual([]);
  });

  it('creates a repository on the storage that an administrator names, and forks beside the source', async () => {
    for (const storage of names) {
      await make(`named-${storage}`, { storage });
      await admin.result('fork_repo', { repoid: `named-${storage}`, fork_name: `named-${storage}-fork` });
      expect(await storagesOf(`named-${storage}`)).toEqual([storage, storage]);
      await admin.result('delete_repo', { repoid: `named-${storage}`, forks: 'delete' });
    }
    expect(await admin.error('create_repo', { repo_name: 'nowhere', storage: 'third' })).toBe(
      'Invalid value for `storage`: no storage has the name `third`',
    );
    for (const storage of ['second', 'third']) {
      expect(await ann.error('create_repo', { repo_name: 'mine', storage })).toBe(
        'Only admin can specify `storage` param',
      );
    }
  });

  it('draining: takes no new repositories, and everything else', async () => {
    await setState('second', 'draining');
    await Promise.all(Array.from({ length: 4 }, (_, n) => make(`drained-${n}`)));
    expect(new Set(await storagesOf('drained-'))).toEqual(new Set(['default']));
    expect(await admin.error('create_repo', { repo_name: 'refused', storage: 'second' })).toBe(
      'Storage `second` is draining',
    );
    await admin.result('fork_repo', { repoid: 'on-second', fork_name: 'fork-of-draining' });
    await admin.result('delete_repo', { repoid: 'fork-of-draining' });
    await setState('default', 'draining');
    expect(await admin.error('create_repo', { repo_name: 'refused' })).toBe('No storage takes new repositories');
  });

  it('read-only: refuses every write of bytes, to those alone who may write', async () => {
    await setState('second', 'read-only');
    const refused = 'Storage `second` is read-only';
    expect(await admin.error('delete_repo', { repoid: 'on-second' })).toBe(refused);
    expect(await admin.error('fork_repo', { repoid: 'on-second', fork_name: 'refused' })).toBe(refused);
    expect(await admin.error('pull', { repoid: 'on-second' })).toBe(refused);
    expect(await admin.error('create_repo', { repo_name: 'refused', storage: 'second' })).toBe(refused);
    expect(await ann.error('delete_repo', { repoid: 'on-second' })).toBe('repository `on-second` does not exist');
    expect(await admin.result('get_repo_refs', { repoid: 'on-second' })).toBeTruthy();
    await make('elsewhere');
    expect(await storagesOf('elsewhere')).toEqual(['default']);
  });

  it('a storage without its marker stops its own operations alone', async () => {
    await without(join(roots.second, marker), async () => {
      expect(await admin.error('delete_repo', { repoid: 'on-second' })).toBe(unavailable);
      await make('beside', { storage: 'default' });
      const { storage, storages, findings } = await consistency();
      expect({ storage, storages }).toEqual({
        storage: 'missing',
        storages: [
          { name: 'default', marker: 'ours' },
          { name: 'second', marker: 'missing' },
        ],
      });
      const ofStorages = findings.filter(({ storage: of }) => of !== null);
      expect(ofStorages.map(({ kind, storage: of }) => [kind, of])).toEqual([['storage_marker', 'second']]);
    });
    const found = await eventually(
      () => admin.result<{ storages: object[] }>('get_server_info'),
      ({ storages }) => JSON.stringify(storages).split('"ok"').length === 3,
    );
    expect(found.storages).toMatchObject([{ name: 'default' }, { name: 'second' }]);
  });

  it('sweeps, reports and rescans by storage', async () => {
    const staged = names.map((name) => join(roots[name], '@staging', `${randomUUID()}.1`));
    await Promise.all(staged.map((path) => mkdir(path)));
    await eventually(
      async () => staged.filter((path) => existsSync(path)),
      (left) => left.length === 0,
    );
    await mkdir(join(roots.second, '@repos/odd'));
    const { findings } = await consistency();
    expect(findings.filter(({ kind }) => kind === 'unknown_entry')).toMatchObject([
      { path: '@repos/odd', storage: 'second' },
    ]);

    await makeOnDisk.hg(join(roots.default, 'found/one'));
    await makeOnDisk.git(join(roots.second, 'found/two'));
    expect(await admin.result('rescan_repos')).toEqual({ added: ['found/one', 'found/two'], removed: [] });
    expect(await storagesOf('found/')).toEqual(['default', 'second']);
    await without(join(roots.second, 'found/two'), async () => {
      const removed = await admin.result('rescan_repos', { remove_obsolete: true });
      expect(removed).toEqual({ added: [], removed: ['found/two'] });
    });
  });
});

describe('the start of a worker', () => {
  const start = (storages: Record<string, string>, more: Record<string, string> = {}) => {
    const pairs = Object.entries(storages).map(([name, root]) => `${name}=${root}`);
    return cluster.startWorker({ TRUNKLINE_STORAGES: pairs.join(), TRUNKLINE_STORAGE_CREATE: '', ...more });
  };
  const third = () => join(roots.default, '../third');

  it('C5 is refused with the storages of two names swapped', async () => {
    const swapped = start({ default: roots.second, second: roots.default });
    await expect(swapped).rejects.toThrow(`${roots.second} is the storage \`second\`, not \`default\``);
  });

  it('C5 is refused with a name that the database does not know, and nothing is claimed', async () => {
    await expect(start({ ...roots, third: third() })).rejects.toThrow('the database knows no storage `third`');
    expect(existsSync(third())).toBe(false);
    await expect(
      start({ default: roots.default, third: roots.second }, { TRUNKLINE_STORAGE_CREATE: 'third' }),
    ).rejects.toThrow(`${roots.second} is the storage \`second\`, not \`third\``);
  });

  it('C5 is refused with a new storage whose directory is not empty', async () => {
    await mkdir(third());
    await writeFile(join(third(), 'file'), '');
    await expect(start({ ...roots, third: third() }, { TRUNKLINE_STORAGE_CREATE: 'third' })).rejects.toThrow(
      'is not empty, so it cannot become a new storage',
    );
    expect(await readFile(join(third(), 'file'), 'utf8')).toBe('');
    expect(existsSync(join(third(), marker))).toBe(false);
  });

  it('C7 a worker takes over the operations of its own storages alone, and answers for no others', async () => {
    const partial = await start({ default: roots.default });
    await cluster.workers[0]?.stop();
    const orphan = async (repository: string, created: string) => {
      const id = randomUUID();
      await sql`insert into operations
          (id, kind, repository_id, storage_id, request, state, worker, attempt, lease_until, created_at)
        select ${id}, 'pull', r.id, r.storage_id, '{"name":"pulled"}', 'running', 'gone', 1, now(), ${created}
          from repositories r where name = ${repository}`;
      return id;
    };
    const later = await orphan('on-second', '2020-01-01');
    const taken = await orphan('on-default', '2020-01-02');
    const stateOf = async (id: string) => (await sql`select state, worker from operations where id = ${id}`)[0];
    await eventually(
      () => stateOf(taken),
      (row) => row?.['state'] === 'failed',
    );
    expect(await stateOf(later)).toEqual({ state: 'running', worker: 'gone' });
    expect(await admin.error('get_repo_refs', { repoid: 'on-second' })).toBe(unavailable);
    await partial.stop();

    // This worker takes all storages for full.
    const whole = await start(roots, { TRUNKLINE_STORAGE_FREE_BYTES_MIN: String(2 ** 49) });
    await eventually(
      () => stateOf(later),
      (row) => row?.['state'] === 'failed',
    );
    await eventually(
      () => admin.result<{ storages: { state: string }[] }>('get_server_info'),
      ({ storages }) => storages.every(({ state }) => state === 'full'),
    );
    expect(await admin.error('create_repo', { repo_name: 'on-default' })).toBe('repo `on-default` already exist');
    expect(await admin.error('create_repo', { repo_name: 'refused' })).toBe(
      'failed to create repository `refused`: the storage is full',
    );
    // A name that is taken is no failure of the storage.
    const metrics = await fetch(`http://127.0.0.1:${String(Object(whole.ready).metricsPort)}/metrics`);
    expect(await metrics.text()).toContain(
      'trunkline_operations_failed_total{kind="create",reason="storage-full"} 1\n',
    );
    expect(await admin.error('create_repo', { repo_name: 'refused', storage: 'second' })).toBe(
      'Storage `second` is full',
    );
    expect(await admin.error('fork_repo', { repoid: 'on-second', fork_name: 'refused' })).toBe(
      'Storage `second` is full',
    );
    await admin.result('delete_repo', { repoid: 'on-second' });
    await whole.stop();
  });
});
