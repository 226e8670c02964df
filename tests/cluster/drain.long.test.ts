import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { inodesBelow } from '../harness/inodes-below.ts';
import { byForm } from '../harness/long-form.ts';
import { makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const types = ['hg', 'git'] as const;
/** Repositories of each type, half of them forks of the first. */
const count = byForm(6, 100);

interface Storage {
  readonly name: string;
  readonly repositories: number;
  readonly moving: number;
}

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let remotes: Record<(typeof types)[number], Remote>;

beforeAll(async () => {
  const env = { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_DRAIN_MOVES: '2' };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'], env };
  cluster = await startCluster(options);
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  remotes = { hg: await makeHgRemote(), git: await makeGitRemote() };
  for (const name of ['default', 'second']) {
    await cluster.startWorker({
      TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
      TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    });
  }
  for (const type of types) {
    await remotes[type].commit({ 'a/b': 'content'.repeat(1_000), [someFile]: '1' });
    await makeFamily(type);
  }
}, 600_000);
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await Promise.all(types.map((type) => remotes[type].close()));
});

async function makeFamily(type: (typeof types)[number]): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const name = `${type}-${at}`;
    if (at < count / 2) {
      const made = { repo_name: name, repo_type: type, clone_uri: remotes[type].url, storage: 'default' };
      await admin.result('create_repo', made);
    } else await admin.result('fork_repo', { repoid: `${type}-0`, fork_name: name });
  }
}

const storageNamed = async (name: string) =>
  (await admin.result<Storage[]>('get_storages')).find((storage) => storage.name === name);

interface Kept {
  readonly tip: string;
  readonly size: number;
}

async function keptNow(): Promise<Map<string, Kept>> {
  const rows = await sql<(Kept & { name: string })[]>`
    select name, last_changeset->>'rawId' as tip, size_bytes::float8 as size
      from repositories where starts_with(name, 'hg-') or starts_with(name, 'git-')`;
  return new Map(rows.map(({ name, tip, size }) => [name, { tip, size }]));
}

/** Returns the number of files of repositories on a storage, and of their inodes. */
async function linksIn(storage: string, names: readonly string[]): Promise<{ inodes: number; files: number }> {
  const rows = await sql<{ path: string }[]>`select storage_path as path from repositories where name in ${sql(names)}`;
  const inodes: number[] = [];
  for (const { path } of rows) {
    inodes.push(...(await inodesBelow(join(cluster.storageRoots[storage] ?? '', path))));
  }
  return { inodes: new Set(inodes).size, files: inodes.length };
}

/** Repeats a call until the signal fires; returns the errors of its answers. */
async function repeated(signal: AbortSignal, call: (turn: number) => ReturnType<Client['call']>): Promise<string[]> {
  const errors: string[] = [];
  for (let turn = 0; !signal.aborted; turn += 1) {
    const { error } = await call(turn);
    if (error !== null) errors.push(error);
    // Leaves the processor to the moves.
    await wait(50);
  }
  return errors;
}

it('a draining storage is moved away under reads, pulls and creations, and nothing is lost', async () => {
  const before = await keptNow();
  const names = [...before.keys()];
  const linked = await linksIn('default', names);
  const newestOf = {
    hg: await remotes.hg.commit({ [someFile]: '2' }),
    git: await remotes.git.commit({ [someFile]: '2' }),
  };
  const repoid = (turn: number) => names[(turn * 7) % names.length];
  const drained = new AbortController();
  await admin.result('update_storage', { storage: 'default', state: 'draining' });
  const pulled = new Set<string>();
  const beside = [
    repeated(drained.signal, (turn) =>
      admin.call('get_repo_nodes', { repoid: repoid(turn), revision: 'tip', root_path: '/' }),
    ),
    repeated(drained.signal, (turn) => admin.call('get_repo_refs', { repoid: repoid(turn + 3) })),
    repeated(drained.signal, (turn) => {
      const name = `${types[turn % 2]}-${(turn >> 1) % (count / 2)}`;
      pulled.add(name);
      return admin.call('pull', { repoid: name });
    }),
    repeated(drained.signal, (turn) => admin.call('create_repo', { repo_name: `made-${turn}`, repo_type: 'git' })),
  ];
  const seen = new Set<number>();
  await eventually(
    () => storageNamed('default'),
    (storage) => {
      seen.add(storage?.moving ?? 0);
      return storage?.repositories === 0;
    },
    byForm(240, 1_800),
  );
  drained.abort();
  expect((await Promise.all(beside)).flat()).toEqual([]);
  expect(Math.max(...seen)).toBeLessThanOrEqual(2);
  expect(await storageNamed('default')).toMatchObject({ repositories: 0 });

  const after = await keptNow();
  expect([...after.keys()].toSorted()).toEqual(names.toSorted());
  for (const [name, kept] of after) {
    const newest = newestOf[name.startsWith('hg') ? 'hg' : 'git'];
    const expected = pulled.has(name) ? { tip: newest, size: kept.size } : before.get(name);
    expect([name, kept]).toEqual([name, expected]);
  }
  // Each shared file of a family is shared again, unless a pull has written it anew.
  const { files, inodes } = await linksIn('second', names);
  expect(files - inodes).toBeGreaterThan((linked.files - linked.inodes) / 2);
  const entries = await sql<{ repoid: string; outcome: string; actor: string }[]>`
    select args->>'repoid' as repoid, outcome, actor from audit_log where method = 'move_repo'`;
  expect(entries.map((entry) => entry.repoid).toSorted()).toEqual(names.toSorted());
  expect(new Set(entries.map(({ outcome, actor }) => `${outcome} ${actor}`))).toEqual(new Set(['succeeded admin']));
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoots),
    (found) => found.length === 0,
  );
  expect(await findByteFaults(sql, cluster.storageRoots)).toEqual([]);
}, 1_800_000);
