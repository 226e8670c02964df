import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandLines } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { createClient, type Client } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { mainReference, someFile, uniqueName } from '../harness/unique-name.ts';
import { openPack } from './open-pack.ts';
import { cacheBytes, git, hg, runHg, useVcsCluster } from './vcs-cluster.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 });

const vcs = useVcsCluster();
const storage = 'default';
const waitSeconds = 120;
/** Too large for a message of the bus. */
const random = () => randomBytes(600_000).toString('base64');

let ann: Client;
let remotes: Record<'git' | 'hg', Remote>;
let login = '';
let tip = '';

beforeAll(async () => {
  const { admin, cluster } = vcs();
  login = `admin:${admin.apiKey}`;
  remotes = { git: await makeGitRemote(), hg: await makeHgRemote() };
  tip = await remotes.git.commit({ random: random() });
  await remotes.hg.commit({ random: random() });
  for (const type of ['git', 'hg'] as const) {
    const args = { repo_name: `${type}-cached`, repo_type: type, clone_uri: remotes[type].url, storage, private: true };
    await admin.result('create_repo', args);
  }
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, key);
}, 120_000);

afterAll(async () => {
  await remotes?.git.close();
  await remotes?.hg.close();
});

let clones = 0;
/** Clones a repository; returns the path of the clone, which keeps the login. */
async function clone(type: 'git' | 'hg', repository = `${type}-cached`): Promise<string> {
  clones += 1;
  const path = join(vcs().directory, `cached-${clones}`);
  const url = vcs().url(repository, login, clones % 2);
  await (type === 'git' ? git : hg)(vcs().directory, 'clone', '-q', url, path);
  if (type === 'hg') await writeFile(join(path, '.hg/hgrc'), `[paths]\ndefault = ${url}\n`);
  return path;
}

const check = {
  git: (path: string) => git(path, 'fsck', '--strict'),
  hg: (path: string) => hg(path, 'verify', '-q'),
};
const historyOf = {
  git: (path: string) => git(path, 'log', '--format=%H'),
  hg: (path: string) => hg(path, 'log', '-T', '{node}\n'),
};

const requests = (outcome: string) =>
  vcs().metric(storage, `trunkline_wire_cache_requests_total{outcome="${outcome}"}`);

it.each(['git', 'hg'] as const)('%s clones for the third time without a process', async (type) => {
  for (let at = 0; at < 2; at += 1) await clone(type);
  const before = await vcs().processesStarted();
  const [hits, misses] = [await requests('hit'), await requests('miss')];
  const path = await clone(type);
  expect((await vcs().processesStarted()) - before).toBe(0);
  expect((await requests('hit')) - hits).toBeGreaterThan(0);
  expect((await requests('miss')) - misses).toBe(0);
  await check[type](path);
  expect(await historyOf[type](path)).toBe(await historyOf[type](remotes[type].directory));
  expect(await vcs().metric(storage, 'trunkline_wire_cache_entries{kind="file"}')).toBeGreaterThan(0);
  expect(await vcs().metric(storage, 'trunkline_wire_cache_entries{kind="memory"}')).toBeGreaterThan(0);
  expect(await vcs().metric(storage, 'trunkline_wire_cache_bytes{kind="file"}')).toBeGreaterThan(600_000);
  expect(await vcs().metric(storage, 'trunkline_wire_cache_max_bytes')).toBe(cacheBytes);
});

describe('what changes an answer is seen at once', () => {
  const list = (name: string, version = '2') =>
    git(vcs().directory, '-c', `protocol.version=${version}`, 'ls-remote', '--symref', vcs().url(name, login));

  it('of git: pushes of branches and tags, the default branch, and hidden references', async () => {
    const { admin, cluster } = vcs();
    await admin.result('create_repo', { repo_name: 'git-changing', repo_type: 'git', storage });
    const path = await clone('git', 'git-changing');
    const push = async (...names: string[]) => {
      await git(path, '-c', 'user.name=Ann', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'more');
      const id = (await git(path, 'rev-parse', 'HEAD')).trim();
      await git(path, 'push', '-q', 'origin', ...names.map((name) => `HEAD:${name}`));
      return id;
    };
    const first = await push(mainReference);
    for (let at = 0; at < 3; at += 1) expect(await list('git-changing')).toContain(`${first}\t${mainReference}`);
    const [other, tag] = [uniqueName('other'), `refs/tags/${uniqueName('v1')}`];
    const second = await push(mainReference, `refs/heads/${other}`, tag);
    const listed = await list('git-changing');
    for (const name of [mainReference, tag]) expect(listed).toContain(`${second}\t${name}`);
    const cloned = await clone('git', 'git-changing');
    expect((await git(cloned, 'rev-parse', 'HEAD')).trim()).toBe(second);
    expect(listed).toContain(`ref: ${mainReference}\tHEAD`);
    await admin.result('update_repo', { repoid: 'git-changing', default_branch: other });
    for (const version of ['0', '1', '2']) {
      expect(await list('git-changing', version)).toContain(`ref: refs/heads/${other}\tHEAD`);
    }
    // By hand: nobody is told of it until the caches are invalidated.
    const stored = join(cluster.storageRoot, await storagePathOf('git-changing'));
    for (const name of ['refs/heads/by-hand', 'refs/trunkline/hidden']) await git(stored, 'update-ref', name, first);
    expect(await list('git-changing')).not.toContain('by-hand');
    await admin.result('invalidate_cache', { repoid: 'git-changing' });
    for (let at = 0; at < 2; at += 1) {
      expect(await list('git-changing')).toContain(`${first}\trefs/heads/by-hand`);
      expect(await list('git-changing')).not.toContain('refs/trunkline');
    }
  });

  it('of Mercurial: pushes of changesets, bookmarks and phases', async () => {
    const { admin } = vcs();
    await admin.result('create_repo', { repo_name: 'hg-changing', repo_type: 'hg', storage });
    const path = await clone('hg', 'hg-changing');
    const commit = async (text: string) => {
      await writeFile(join(path, someFile), text);
      await hg(path, 'commit', '-q', '-A', '-m', text);
    };
    const headers = { Authorization: `Basic ${Buffer.from(`api-key:${admin.apiKey}`).toString('base64')}` };
    const ask = async (command: string) =>
      (await fetch(vcs().url(`hg-changing?cmd=${command}`, ''), { headers })).text();
    const state = async () => {
      // Twice: the second answer is kept.
      for (let at = 0; at < 2; at += 1) await ask('heads');
      const [heads, bookmarks, phases] = [
        await ask('heads'),
        await ask('listkeys&namespace=bookmarks'),
        await ask('listkeys&namespace=phases'),
      ];
      return { heads: heads.trim().split(' '), bookmarks: bookmarks.trim(), phases: phases.trim() };
    };
    const idOf = (revision: string) => hg(path, 'log', '-r', revision, '-T', '{node}');
    await commit('first');
    await hg(path, 'push', '-q');
    const first = await idOf('.');
    expect(await state()).toEqual({ heads: [first], bookmarks: '', phases: 'publishing\tTrue' });
    const kept = uniqueName('kept');
    await hg(path, 'bookmark', kept);
    await runHg(path, ['push', '-q', '-B', kept]);
    expect(await state()).toMatchObject({ heads: [first], bookmarks: `${kept}\t${first}` });
    await commit('second');
    await hg(path, 'update', '-q', first);
    await commit('third');
    await hg(path, 'push', '-q', '-f');
    const [second, third] = [await idOf('desc(second)'), await idOf('desc(third)')];
    const { heads, bookmarks } = await state();
    expect(heads.toSorted()).toEqual([second, third].toSorted());
    expect(bookmarks).toBe(`${kept}\t${second}`);
    await hg(path, 'bookmark', '-d', kept);
    await runHg(path, ['push', '-q', '-B', kept]);
    expect(await state()).toMatchObject({ bookmarks: '' });
  });
});

async function storagePathOf(name: string): Promise<string> {
  const sql = postgres(vcs().cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  await sql.end();
  return row?.path ?? '';
}

it('B5 who may not read a repository gets nothing that is kept of it', async () => {
  const { admin, url } = vcs();
  const open = (of: Client | null) => openPack(url('git-cached'), of?.apiKey ?? '0'.repeat(40), tip);
  const counted = async () => (await requests('hit')) + (await requests('shared')) + (await requests('miss'));
  const statusOf = async (of: Client | null) => {
    const response = await open(of);
    await buffer(response);
    return response.statusCode;
  };
  for (let at = 0; at < 2; at += 1) expect(await statusOf(admin)).toBe(200);
  const [before, started] = [await counted(), await vcs().processesStarted()];
  expect(await statusOf(ann)).toBe(404);
  expect(await statusOf(null)).toBe(401);
  expect(await counted()).toBe(before);
  await admin.result('grant_user_permission', { repoid: 'git-cached', userid: 'ann', perm: 'repository.read' });
  expect(await statusOf(ann)).toBe(200);
  await admin.result('revoke_user_permission', { repoid: 'git-cached', userid: 'ann' });
  expect(await statusOf(ann)).toBe(404);
  expect((await vcs().processesStarted()) - started).toBe(0);
});

describe('requests at the same time', () => {
  let name = '';
  let made = 0;

  /** Makes a repository that nobody has asked for, and opens so many fetches of it while its pack is held. */
  async function openTogether(count: number): Promise<IncomingMessage[]> {
    made += 1;
    name = `git-together-${made}`;
    const args = { repo_name: name, repo_type: 'git', clone_uri: remotes.git.url, storage };
    await vcs().admin.result('create_repo', args);
    await writeFile(vcs().hold, '');
    const url = (at: number) => vcs().url(name, '', at % 2);
    return Promise.all(Array.from({ length: count }, (_, at) => openPack(url(at), vcs().admin.apiKey, tip)));
  }
  const release = () => rm(vcs().hold, { force: true });
  afterEach(release);

  it('E7 share one process, whoever of them leaves or is slow', async () => {
    const before = await vcs().processesStarted();
    const [gone, slow, ...others] = await openTogether(16);
    const started = (await vcs().processesStarted()) - before;
    // The first one shares its process only with those that came before its answer began.
    expect(started).toBeLessThanOrEqual(2);
    gone?.destroy();
    await release();
    const packs = await Promise.all(others.map((response) => buffer(response)));
    if (slow) packs.push(await buffer(slow));
    // One more gets what they have shared.
    packs.push(await buffer(await openPack(vcs().url(name), vcs().admin.apiKey, tip)));
    const [first] = packs;
    expect(packs).toHaveLength(16);
    expect(first?.length).toBeGreaterThan(600_000);
    expect(packs.filter((pack) => first?.equals(pack) !== true)).toEqual([]);
    expect((await vcs().processesStarted()) - before).toBe(started);
  });

  it('all end with an error when the process dies, and nothing is kept', async () => {
    const responses = await openTogether(4);
    const held = await eventually(heldCommands, (found) => found.length > 0, waitSeconds);
    const ended = responses.map((response) => expect(buffer(response)).rejects.toThrow('aborted'));
    for (const pid of held) process.kill(pid, 'SIGKILL');
    await Promise.all(ended);
    await release();
    const pack = await buffer(await openPack(vcs().url(name), vcs().admin.apiKey, tip));
    expect(pack.subarray(-4).toString()).toBe('0000');
    const path = await clone('git', name);
    await git(path, 'fsck', '--strict');
  });

  /** Returns the process ids of the script that stands still after the beginning of a pack. */
  async function heldCommands(): Promise<number[]> {
    const { heldGit } = vcs();
    return [...(await commandLines())].flatMap(([pid, words]) =>
      words.includes(`\0${heldGit}\0upload-pack`) ? [pid] : [],
    );
  }
});

it('a worker that is killed leaves no answer on the disk', async () => {
  const { cacheDirectory, workers, cluster } = vcs();
  for (let at = 0; at < 2; at += 1) await clone('git');
  expect(await vcs().metric(storage, 'trunkline_wire_cache_entries{kind="file"}')).toBeGreaterThan(0);
  await workers[storage]?.kill();
  const left = await readdir(cacheDirectory, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
  const directories = left.map(({ name }) => name);
  await cluster.startWorker({
    TRUNKLINE_STORAGES: `default=${cluster.storageRoots['default']}`,
    TRUNKLINE_STORAGE_CREATE: '',
  });
  const later = await readdir(cacheDirectory);
  for (const name of directories.filter((one) => one.includes(`-${workers[storage]?.pid}-`))) {
    expect(later).not.toContain(name);
  }
});
