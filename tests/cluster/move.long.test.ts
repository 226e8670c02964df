import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { holdingGit } from '../harness/holding-git.ts';
import { inodesBelow } from '../harness/inodes-below.ts';
import { byForm } from '../harness/long-form.ts';
import { makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

type Type = 'hg' | 'git';
type Worker = Awaited<ReturnType<Cluster['startWorker']>>;
type Moved = Readonly<Record<'msg' | 'task', string | null>>;
const types: readonly Type[] = ['hg', 'git'];

let directory: string;
let cluster: Cluster;
let admin: Client;
let ann: Client;
let sql: postgres.Sql;
let remotes: Record<Type, Remote>;
let target: Worker;

const startWorkerOf = (storage: 'default' | 'second', env: Record<string, string> = {}) =>
  cluster.startWorker({
    TRUNKLINE_STORAGES: `${storage}=${cluster.storageRoots[storage]}`,
    TRUNKLINE_STORAGE_CREATE: storage === 'second' ? storage : '',
    ...env,
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-move-'));
  const env = {
    TRUNKLINE_LEASE_SECONDS: '3',
    TRUNKLINE_FORK_WAIT: '0',
    TRUNKLINE_GIT_COMMAND: await holdingGit(directory),
  };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'], env };
  cluster = await startCluster(options);
  await startWorkerOf('default');
  target = await startWorkerOf('second');
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
  remotes = { hg: await makeHgRemote(), git: await makeGitRemote() };
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com', admin: true });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, key);
  for (const type of types) await remotes[type].commit({ 'a/b': '1', [someFile]: '2' });
  await eventually(
    () => sql`select 1 from storages where seen_at is not null`,
    (rows) => rows.length === 2,
  );
});
afterEach(async () => {
  await rm(join(directory, 'hold'), { force: true });
  await rm(join(directory, 'held'), { force: true });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await Promise.all(types.map((type) => remotes[type].close()));
  await rm(directory, { recursive: true, force: true });
});

async function make(type: Type, repo_name: string): Promise<void> {
  const clone_uri = remotes[type].url;
  await admin.result('create_repo', { repo_name, repo_type: type, clone_uri, storage: 'default' });
}

interface Stored {
  readonly storage: string;
  readonly path: string;
  readonly tip: string;
  readonly epoch: number;
}

async function storedAt(name: string): Promise<Stored> {
  const [row] = await sql<Stored[]>`
    select s.name as storage, r.storage_path as path, r.last_changeset->>'rawId' as tip, r.epoch::int
      from repositories r join storages s on s.id = r.storage_id where r.name = ${name}`;
  if (!row) throw new Error(`${name} does not exist`);
  return row;
}

async function expectSound(prefix: string): Promise<void> {
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoots),
    (found) => found.length === 0,
  );
  expect(await findByteFaults(sql, cluster.storageRoots, prefix)).toEqual([]);
}

type Ended = Readonly<{ state: string; error: string | null }>;

const operation = (id: string) => admin.result<Ended>('get_operation', { operation_id: id });

async function endOf(id: string): Promise<Ended> {
  for (;;) {
    const ended = await admin.result<Ended>('wait_operation', { operation_id: id, timeout: 20 });
    if (ended.state !== 'running') return ended;
  }
}

async function fork(repoid: string, fork_name: string): Promise<void> {
  const { task } = await admin.result<Moved>('fork_repo', { repoid, fork_name });
  expect(await endOf(String(task))).toMatchObject({ state: 'done' });
}

/** Returns the number of inodes of repositories, and of their files. */
async function linksOf(names: readonly string[]): Promise<{ inodes: number; files: number }> {
  const inodes: number[] = [];
  for (const name of names) {
    const { storage, path } = await storedAt(name);
    inodes.push(...(await inodesBelow(join(cluster.storageRoots[storage] ?? '', path))));
  }
  return { inodes: new Set(inodes).size, files: inodes.length };
}

/** Begins a move whose copy is written and stays unchecked until `letGo`; returns the id of its operation. */
async function moveHeld(repoid: string, client = admin): Promise<string> {
  await rm(join(directory, 'held'), { force: true });
  await writeFile(join(directory, 'hold'), '');
  const { task } = await client.result<Moved>('move_repo', { repoid, storage: 'second' });
  await eventually(
    async () => existsSync(join(directory, 'held')),
    (isHeld) => isHeld,
  );
  return String(task);
}

const letGo = () => rm(join(directory, 'hold'));

/** Moves a repository and waits for the end. */
async function move(repoid: string, storage: string, args = {}): Promise<Moved & { readonly end: Ended }> {
  const moved = await admin.result<Moved>('move_repo', { repoid, storage, ...args });
  return { ...moved, end: await endOf(String(moved.task)) };
}

describe.each(types)('move_repo %s', { timeout: 180_000 }, (type) => {
  it('moves a repository while it is read, there and back, and its former files go to the trash', async () => {
    const repoid = `moved-${type}`;
    await make(type, repoid);
    const before = await storedAt(repoid);
    const read = () => admin.result('get_repo_nodes', { repoid, revision: 'tip', root_path: '/' });
    const expected = await read();
    const moving = new AbortController();
    const reads = (async () => {
      const answers: unknown[] = [];
      while (!moving.signal.aborted) answers.push(await read());
      return answers;
    })();
    const { msg, end } = await move(repoid, 'second');
    moving.abort();
    for (const answer of await reads) expect(answer).toEqual(expected);
    expect(end).toMatchObject({ kind: 'move', state: 'done', error: null, target_storage: 'second' });
    expect(msg).toBe(`Moved \`${repoid}\` to storage \`second\``);
    expect(await storedAt(repoid)).toEqual({ storage: 'second', path: `${before.path}.2`, tip: before.tip, epoch: 2 });
    expect(await read()).toEqual(expected);
    expect(existsSync(join(cluster.storageRoot, before.path))).toBe(true);
    await sql`update repository_copies set created_at = now() - interval '2 hours' where storage_path = ${before.path}`;
    await eventually(
      async () => existsSync(join(cluster.storageRoot, before.path)),
      (isThere) => !isThere,
    );
    await fork(repoid, `${repoid}-fork`);
    expect((await move(repoid, 'default')).end).toMatchObject({ state: 'done' });
    expect(await storedAt(repoid)).toEqual({ storage: 'default', path: `${before.path}.3`, tip: before.tip, epoch: 3 });
    expect(await read()).toEqual(expected);
    await expectSound(repoid);
  });

  it('moves the family of a fork, and links the files that its members share', async () => {
    const forks = Array.from({ length: byForm(type === 'hg' ? 4 : 2, 50) }, (_, at) => `family-${type}-${at}`);
    const root = `family-${type}`;
    const members = [root, ...forks];
    await make(type, root);
    for (const name of forks) await fork(root, name);
    const links = await linksOf(members);
    const { msg, end } = await move(`family-${type}-1`, 'second', { family: true });
    expect(end).toMatchObject({ state: 'done' });
    expect(msg).toBe(
      `Moved \`family-${type}-1\` and ${forks.length} repositories of its fork family to storage \`second\``,
    );
    for (const name of members) expect(await storedAt(name)).toMatchObject({ storage: 'second' });
    expect(await linksOf(members)).toEqual(links);
    await expectSound(root);
  });
});

describe('move_repo', () => {
  const error = (repoid: string, storage: string) => admin.error('move_repo', { repoid, storage });
  it('names the storage to which nothing can be moved', async () => {
    await make('hg', 'stays');
    expect(await error('stays', 'third')).toBe('Invalid value for `storage`: no storage has the name `third`');
    expect(await error('stays', 'default')).toBe(
      'Invalid value for `storage`: the repository is on storage `default` already',
    );
    for (const state of ['draining', 'read-only', 'offline']) {
      await sql`update storages set state = ${state} where name = 'second'`;
      expect(await error('stays', 'second')).toBe(`Storage \`second\` is ${state}`);
    }
    await sql`update storages set state = 'active'`;
    await sql`update repositories set size_bytes = ${2 ** 52} where name = 'stays'`;
    expect(await error('stays', 'second')).toBe(
      `Storage \`second\` has not enough free space: ${2 ** 52} bytes are needed`,
    );
    await sql`update storages set state = 'read-only' where name = 'default'`;
    await sql`update repositories set size_bytes = null where name = 'stays'`;
    expect(await error('stays', 'second')).toBe('Storage `default` is read-only');
    await sql`update storages set state = 'active'`;
  });
});

describe('a move', { timeout: 180_000 }, () => {
  it('goes on beside pulls, deletions and cancellations of what it copies', async () => {
    for (const name of ['pulled', 'deleted', 'cancelled']) await make('git', name);
    const cancelled = await moveHeld('cancelled');
    expect(await admin.error('move_repo', { repoid: 'cancelled', storage: 'second' })).toBe(
      'Repository `cancelled` is already being moved',
    );
    await admin.result('cancel_operation', { operation_id: cancelled });
    expect(await endOf(cancelled)).toMatchObject({ state: 'failed' });
    // One caller has half of a worker's slots.
    const [pulled, deleted] = [await moveHeld('pulled'), await moveHeld('deleted', ann)];
    const newest = await remotes.git.commit({ [someFile]: '3' });
    await admin.result('pull', { repoid: 'pulled' });
    expect(await operation(pulled)).toMatchObject({ state: 'running' });
    await admin.result('delete_repo', { repoid: 'deleted' });
    await letGo();
    expect(await endOf(deleted)).toMatchObject({
      state: 'failed',
      error: 'failed to move repository `deleted` to storage `second`: the repository was deleted',
    });
    expect(await endOf(pulled)).toMatchObject({ state: 'done', error: null });
    expect(await storedAt('pulled')).toMatchObject({ storage: 'second', tip: newest });
    expect(await storedAt('cancelled')).toMatchObject({ storage: 'default', epoch: 1 });
    await expectSound('');
    expect((await move('cancelled', 'second')).end).toMatchObject({ state: 'done' });
  });

  it('of a family is cancelled by its task, with all members that are not moved yet', async () => {
    await make('git', 'held');
    await fork('held', 'held-1');
    await writeFile(join(directory, 'hold'), '');
    const args = { repoid: 'held', storage: 'second', family: true };
    const { task } = await admin.result<Moved>('move_repo', args);
    await eventually(
      async () => existsSync(join(directory, 'held')),
      (isHeld) => isHeld,
    );
    await admin.result('cancel_operation', { operation_id: task });
    const moves = () => sql`select state from operations where kind = 'move' and request->>'name' like 'held%'`;
    const ended = await eventually(moves, (rows) => rows.every(({ state }) => state !== 'running'));
    expect(ended.map(({ state }) => String(state))).toEqual(['failed', 'failed']);
    for (const name of ['held', 'held-1']) expect(await storedAt(name)).toMatchObject({ storage: 'default', epoch: 1 });
    await letGo();
    await expectSound('held');
  });

  it('keeps a pull waiting at its end, which then goes to the new storage', async () => {
    await make('git', 'late');
    const hold = await holdUpdates(
      { sql, databaseUrl: cluster.databaseUrl },
      'state on operations',
      "new.kind = 'move' and new.state = 'done'",
    );
    const moved = move('late', 'second');
    await hold.reached();
    const newest = await remotes.git.commit({ [someFile]: '4' });
    const pulled = admin.call('pull', { repoid: 'late' });
    await hold.release();
    expect((await pulled).error).toBeNull();
    expect((await moved).end).toMatchObject({ state: 'done' });
    expect(await storedAt('late')).toMatchObject({ storage: 'second', tip: newest });
    await expectSound('late');
  });

  it('fails when the worker of the target is killed, and the repository stays where it was', async () => {
    await make('git', 'targetless');
    const task = await moveHeld('targetless');
    await target.kill();
    target = await startWorkerOf('second');
    expect(await endOf(task)).toMatchObject({
      state: 'failed',
      error: 'failed to move repository `targetless` to storage `second`: the storage is not available',
    });
    expect(await storedAt('targetless')).toMatchObject({ storage: 'default', epoch: 1 });
    await letGo();
    await expectSound('targetless');
  });
});
