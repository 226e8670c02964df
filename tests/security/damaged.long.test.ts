import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const types = ['hg', 'git'] as const;

let cluster: Cluster;
let admin: Client;
let web: WebClient;
let sql: postgres.Sql;
let remotes: Record<'hg' | 'git', Remote>;
const firstIds = { hg: '', git: '' };

beforeAll(async () => {
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of types) firstIds[type] = await remotes[type].commit({ 'dir/file': '1\n', 'README.md': 'read\n' });
  const env = { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_STORAGE_PROBE_SECONDS: '1' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
});

afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await Promise.all(types.map((type) => remotes[type].close()));
});

const makeCopy = (type: 'hg' | 'git', repo_name: string) =>
  admin.result('create_repo', {
    repo_name,
    repo_type: type,
    clone_uri: remotes[type].url,
    enable_downloads: true,
  });

async function pathOf(name: string): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return join(cluster.storageRoot, row?.path ?? '');
}

async function metrics(): Promise<string> {
  return (await Promise.all(cluster.metricsUrls.map(async (url) => (await fetch(url)).text()))).join('\n');
}

async function metric(line: RegExp): Promise<number> {
  return Number(line.exec(await metrics())?.[1] ?? 0);
}

const isReady = async () => (await fetch(`${cluster.baseUrl}/readyz`)).status;
const newestOf = async (name: string) =>
  (await admin.result<{ last_changeset: { raw_id: string } }>('get_repo', { repoid: name })).last_changeset.raw_id;

/** Lock holders: a process that has exited, a pid that another process has now, and a process of another machine. */
const holders = ['gone:999999', `${process.env['HOSTNAME'] ?? 'here'}:${process.pid}`, 'elsewhere:4711'];

async function plantLocks(type: 'hg' | 'git', path: string, holder: string): Promise<string[]> {
  if (type === 'hg') {
    const locks = ['.hg/store/lock', '.hg/wlock'].map((lock) => join(path, lock));
    for (const lock of locks) await symlink(holder, lock);
    return locks;
  }
  const names = ['packed-refs', mainReference, 'HEAD', 'shallow', 'config'].map((name) => `${name}.lock`);
  const left = [...names, 'objects/pack/tmp_pack_x', 'objects/pack/pack-x.keep'].map((name) => join(path, name));
  await mkdir(join(path, 'objects/pack'), { recursive: true });
  for (const file of left) await writeFile(file, `fetch-pack ${holder}`);
  return left;
}

const areGone = async (paths: readonly string[]) => {
  for (const path of paths) await expect(stat(path), path).rejects.toThrow('ENOENT');
};

describe.each(types)('stale locks of a %s repository', (type) => {
  it('C9 the next pull breaks them, and a fork does not wait for them', async () => {
    const name = `locked-${type}`;
    await makeCopy(type, name);
    const path = await pathOf(name);
    for (const [turn, holder] of holders.entries()) {
      const locks = await plantLocks(type, path, holder);
      const rawId = await remotes[type].commit({ [someFile]: String(turn) });
      await admin.result('pull', { repoid: name });
      expect(await newestOf(name)).toBe(rawId);
      await areGone(locks);
    }
    await plantLocks(type, path, 'elsewhere:1');
    await admin.result('fork_repo', { repoid: name, fork_name: `${name}-fork` });
    expect(await newestOf(`${name}-fork`)).toBe(await newestOf(name));
  });
});

const damage = {
  hg: (path: string) => join(path, '.hg/store/00changelog.i'),
  git: (path: string) => join(path, 'HEAD'),
};

describe.each(types)('a damaged %s repository', (type) => {
  const name = `damaged-${type}`;
  const nodes = { revision: 'tip', root_path: '' };

  beforeAll(async () => {
    await makeCopy(type, name);
    await makeCopy(type, `neighbour-${type}`);
    const file = damage[type](await pathOf(name));
    const bytes = Buffer.alloc((await stat(file)).size >> 1, 0xa5);
    await rm(file);
    await writeFile(file, bytes);
  });

  it.each([
    ['get_repo_nodes', nodes, 'nodes'],
    ['get_changeset', { revision: 'tip' }, 'changeset'],
    ['get_changesets', {}, 'changesets'],
    ['get_repo_refs', {}, 'refs'],
  ])('C10 %s says that it failed', async (method, args, what) => {
    expect(await admin.error(method, { repoid: name, ...args })).toBe(`failed to get repo: \`${name}\` ${what}`);
  });

  it('C10 every write fails with its own error, and leaves nothing behind', async () => {
    expect(await admin.error('pull', { repoid: name })).toBe(`Unable to pull changes from \`${name}\``);
    expect(await admin.error('invalidate_cache', { repoid: name })).toBe(
      'Error occurred during cache invalidation action',
    );
    expect(await admin.error('fork_repo', { repoid: name, fork_name: `${name}-fork` })).toBe(
      `failed to fork repository \`${name}\` as \`${name}-fork\``,
    );
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoot),
      (found) => found.length === 0,
    );
  });

  it('C10 pages show below its name and tabs that it cannot be read now, and its settings are shown', async () => {
    for (const page of ['', 'changelog', 'files/tip', 'changeset/tip', 'archive/tip.zip']) {
      const { status, text } = await web.get(`/${name}/${page}`);
      // The summary has facts that are no bytes, and says of the files that they cannot be read.
      expect([page, status]).toEqual([page, page === '' ? 200 : 422]);
      expect(text).toMatch(/cannot be read now|failed to get repo/);
      expect(text).toContain(`<h1><a href="/${name}">`);
      expect(text).toContain(`<a href="/${name}/settings">`);
    }
    expect((await web.get(`/${name}/feed/rss`)).text).not.toContain('Internal');
    expect((await web.get(`/${name}/settings`)).status).toBe(200);
  });

  it('C10 another repository, the worker and readiness are not affected, and the log names the damage', async () => {
    expect(await admin.result('get_repo_nodes', { repoid: `neighbour-${type}`, ...nodes })).not.toEqual([]);
    expect(await isReady()).toBe(200);
    expect(await metric(new RegExp(`trunkline_unreadable_answers_total\\{type="${type}"\\} (\\d+)`))).toBeGreaterThan(
      4,
    );
    expect(await metric(/trunkline_operations_failed_total\{kind="pull",reason="unreadable"\} (\d+)/)).toBeGreaterThan(
      0,
    );
    const [row] = await sql<{ id: number }[]>`select id from repositories where name = ${name}`;
    const logs = await cluster.logs();
    expect(logs).toContain(`"repositoryId":${row?.id},"type":"${type}","msg":"repository cannot be read"`);
    expect(logs).not.toContain('"code":"internal"');
  });

  it('C10 it can be deleted', async () => {
    await admin.result('delete_repo', { repoid: name });
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoot),
      (found) => found.length === 0,
    );
  });
});

describe('a missing storage', () => {
  const bytes = [
    ['get_changeset', { repoid: 'kept', revision: 'tip' }],
    ['get_changesets', { repoid: 'kept' }],
    ['get_repo_refs', { repoid: 'kept' }],
    ['invalidate_cache', { repoid: 'kept' }],
    ['pull', { repoid: 'kept' }],
    ['fork_repo', { repoid: 'kept', fork_name: 'new' }],
    ['create_repo', { repo_name: 'new', repo_type: 'git' }],
    ['delete_repo', { repoid: 'kept' }],
  ] as const;

  it.each(['no-marker', 'foreign'] as const)(
    'C5 %s: nothing begins, nothing is deleted, and it is told',
    async (state) => {
      if (state === 'no-marker') await makeCopy('git', 'kept');
      const before = await sql`select count(*)::int as n from operations`;
      const away = `${cluster.storageRoot}-away`;
      await rename(cluster.storageRoot, away);
      await mkdir(join(cluster.storageRoot, '@staging'), { recursive: true });
      if (state === 'foreign') await writeFile(join(cluster.storageRoot, '.trunkline-storage'), 'another\n');
      try {
        for (const [method, args] of bytes)
          expect([method, await admin.error(method, args)]).toEqual([method, unavailable]);
        await eventually(metrics, (text) =>
          text.includes(`trunkline_storage_ok{storage="default",reason="${state}"} 0`),
        );
        await eventually(
          () => admin.result<{ storage: { state: string } }>('get_server_info'),
          ({ storage }) => storage.state === state,
        );
        expect(await isReady()).toBe(200);
        expect(await readdir(join(cluster.storageRoot, '@staging'))).toEqual([]);
      } finally {
        await rm(cluster.storageRoot, { recursive: true });
        await rename(away, cluster.storageRoot);
      }
      expect(await sql`select count(*)::int as n from operations`).toEqual(before);
      await admin.result('get_repo_nodes', { repoid: 'kept', revision: 'tip', root_path: '' });
      expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    },
  );
});
