import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandLines } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { eventually } from '../harness/eventually.ts';
import { makeHgRemote, type Remote } from '../harness/remotes.ts';
import { someFile, uniqueName } from '../harness/unique-name.ts';
import { hg, runHg, storageNames, useVcsCluster } from './vcs-cluster.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 });

const vcs = useVcsCluster();
const waitMs = 120_000;
const logTemplate = '{node} {branch} {bookmarks} {tags} {parents} {extras} {desc}\n';

const [feature, kept] = [uniqueName('feature/x'), uniqueName('kept')];
let remote: Remote;
let login = '';

/** Commits in the remote; options are those of `hg commit`. */
async function commitRemote(message: string, ...options: string[]): Promise<void> {
  await writeFile(join(remote.directory, 'changing'), message);
  await hg(remote.directory, 'commit', '-q', '-A', '-m', message, ...options);
}

beforeAll(async () => {
  const { admin } = vcs();
  login = `admin:${admin.apiKey}`;
  remote = await makeHgRemote();
  const { directory } = remote;
  await remote.commit({ 'dir/file': '1', grüße: 'x'.repeat(3_000) }, 'first ü');
  await hg(directory, 'bookmark', '-r', '0', kept);
  await hg(directory, 'branch', '-q', feature);
  await commitRemote('a feature');
  await hg(directory, 'update', '-q', 'default');
  await hg(directory, 'branch', '-q', uniqueName('old'));
  await commitRemote('an old branch');
  await commitRemote('closed', '--close-branch');
  await hg(directory, 'update', '-q', 'default');
  await hg(directory, 'merge', '-q', feature, '--tool', 'internal:other');
  await hg(directory, 'commit', '-q', '-m', 'merged');
  await hg(directory, 'tag', uniqueName('v1'));
  for (const storage of storageNames) {
    const args = { repo_name: `group/${storage}`, repo_type: 'hg', clone_uri: remote.url, storage };
    await admin.result('create_repo', args);
    await admin.result('create_repo', { repo_name: `empty-${storage}`, repo_type: 'hg', storage });
  }
}, waitMs);

afterAll(() => remote?.close());

let clones = 0;
/** Returns a path for a clone that does not exist yet. */
function freshPath(): string {
  clones += 1;
  return join(vcs().directory, `hg-clone-${clones}`);
}

async function clone(repository: string, options: readonly string[] = [], gateway = 0): Promise<string> {
  const path = freshPath();
  await hg(vcs().directory, 'clone', '-q', ...options, vcs().url(repository, login, gateway), path);
  return path;
}

const logOf = (path: string) => hg(path, 'log', '-T', logTemplate);

/** Options with the login, which Mercurial keeps in no clone. */
const signedIn = (password = vcs().admin.apiKey, username = 'admin') =>
  Object.entries({ prefix: '*', schemes: 'http', username, password }).map(
    ([name, value]) => `--config=auth.x.${name}=${value}`,
  );

describe.each(storageNames)('of the storage `%s`', (storage) => {
  it('hg clones all changesets, branches, bookmarks, tags and phases, through either gateway', async () => {
    for (const gateway of [0, 1]) {
      const path = await clone(`group/${storage}`, [], gateway);
      await hg(path, 'verify', '-q');
      expect(await logOf(path)).toBe(await logOf(remote.directory));
      expect(await hg(path, 'log', '-r', 'not public()')).toBe('');
      expect(await hg(path, 'branches', '--closed')).toBe(await hg(remote.directory, 'branches', '--closed'));
      expect(await hg(path, 'bookmarks')).toBe(await hg(remote.directory, 'bookmarks'));
      expect((await hg(path, 'files')).split('\n')).toContain('grüße');
    }
  });

  it('hg clones an empty repository', async () => {
    const path = await clone(`empty-${storage}`, [], 1);
    expect(await logOf(path)).toBe('');
  });
});

it('hg clones a part of the history, sees what is missing, and pulls the rest', async () => {
  const path = await clone('group/second', ['-r', '1'], 1);
  expect((await hg(path, 'log', '-T', '{rev}\n')).trim().split('\n')).toEqual(['1', '0']);
  expect((await hg(path, 'incoming', '-T', '{desc}\n', ...signedIn())).trim().split('\n')).toContain('merged');
  await hg(path, 'pull', '-q', '-r', kept, ...signedIn());
  await hg(path, 'pull', '-q', ...signedIn());
  expect((await runHg(path, ['incoming', ...signedIn()])).stdout).toContain('no changes found');
  await hg(path, 'verify', '-q');
  const nodes = (of: string) => hg(of, 'log', '-r', 'sort(all(), node)', '-T', '{node}\n');
  expect(await nodes(path)).toBe(await nodes(remote.directory));
});

it('hg sees what it could push', async () => {
  const path = await clone('group/default', [], 1);
  expect((await runHg(path, ['outgoing', ...signedIn()])).stdout).toContain('no changes found');
  await writeFile(join(path, someFile), 'own');
  await hg(path, 'commit', '-q', '-A', '-m', 'own');
  expect(await hg(path, 'outgoing', '-T', '{desc}\n', ...signedIn())).toContain('own\n');
});

it('hg pulls what was committed since, and the bookmarks that have moved', async () => {
  const { admin } = vcs();
  const own = await makeHgRemote();
  await own.commit({ [someFile]: '1' });
  const moving = uniqueName('moving');
  await hg(own.directory, 'bookmark', moving);
  const name = 'group/pulled';
  await admin.result('create_repo', { repo_name: name, repo_type: 'hg', clone_uri: own.url, storage: 'second' });
  const path = await clone(name, [], 1);
  const second = await own.commit({ [someFile]: '2' });
  await admin.result('pull', { repoid: name });
  await hg(path, 'pull', '-q', '-u', ...signedIn());
  expect(await hg(path, 'log', '-r', moving, '-T', '{node}')).toBe(second);
  expect(await hg(path, 'cat', someFile)).toBe('2');
  await own.close();
});

it('hg finds a repository by its permanent address, and by one with a slash', async () => {
  const { admin, url, directory } = vcs();
  const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: 'group/default' });
  const tip = await hg(remote.directory, 'identify', '--id', '-r', 'tip');
  for (const path of [`_${id}`, 'group/default', 'group/default/']) {
    expect(await hg(directory, 'identify', '--id', '-r', 'tip', url(path, login))).toBe(tip);
  }
});

describe('rights and logins', () => {
  it('hg signs in with a login in the URL or in [auth], and is refused with a wrong or revoked one', async () => {
    const { admin, url, directory } = vcs();
    await admin.result('create_user', { username: 'ann', email: 'ann@example.com', password: 'a secret of ann' });
    const made = await admin.result<{ api_key: { api_key: string; api_key_id: number } }>('create_api_key', {
      userid: 'ann',
    });
    const { api_key: key, api_key_id: keyId } = made.api_key;
    const identify = (own: string, name = 'group/second', options: readonly string[] = []) =>
      runHg(directory, ['identify', '--id', '-r', '0', ...options, url(name, own, 1)]);
    for (const { exitCode, stderr } of [
      await identify('ann:a%20secret%20of%20ann'),
      await identify(`api-key:${key}`),
      await identify('', 'group/second', signedIn('a secret of ann', 'ann')),
    ]) {
      expect([exitCode, stderr]).toEqual([0, '']);
    }
    await admin.result('revoke_api_key', { userid: 'ann', api_key_id: keyId });
    for (const own of [`api-key:${key}`, 'ann:wrong', '']) {
      expect((await identify(own)).stderr).toMatch(/authorization failed|http authorization required/);
    }
    await admin.result('create_repo', { repo_name: 'hidden', repo_type: 'hg', private: true });
    for (const name of ['hidden', 'missing']) {
      const { stderr } = await identify('ann:a%20secret%20of%20ann', name);
      expect(stderr).toContain('HTTP Error 404: Repository not found');
    }
  });

  it('hg needs no login where anonymous visitors may read', async () => {
    const { admin, cluster } = vcs();
    const open = await cluster.startGateway({ TRUNKLINE_ANONYMOUS_VIEWING: 'true' });
    await admin.result('create_repo', { repo_name: 'closed', repo_type: 'hg', private: true });
    const path = freshPath();
    await hg(vcs().directory, 'clone', '-q', `${open.baseUrl}/group/second`, path);
    expect(await logOf(path)).toBe(await logOf(remote.directory));
    for (const name of ['closed', 'missing']) {
      const { stderr } = await runHg(path, ['identify', `${open.baseUrl}/${name}`]);
      expect(stderr).toContain('http authorization required');
    }
    expect((await fetch(`${open.baseUrl}/group/second?cmd=unbundle`, { method: 'POST' })).status).toBe(401);
    await open.stop();
  });
});

describe('a transfer that breaks off', () => {
  const repository = 'large';

  beforeAll(async () => {
    const { admin } = vcs();
    const own = await makeHgRemote();
    await own.commit({ random: randomBytes(1_000_000).toString('base64') });
    await admin.result('create_repo', {
      repo_name: repository,
      repo_type: 'hg',
      clone_uri: own.url,
      storage: 'second',
    });
    await own.close();
    await writeFile(vcs().hold, '');
  }, waitMs);

  /** Returns the ids of the processes of Mercurial that serve clients of this storage's worker. */
  async function serving(storage = 'second'): Promise<number[]> {
    const directory = `/trunkline-worker-${vcs().workers[storage]?.pid}-`;
    const isOurs = (words: string) => words.includes('\0trunkline-serve\0') && words.includes(directory);
    return [...(await commandLines())].flatMap(([pid, words]) => (isOurs(words) ? [pid] : []));
  }

  /** Asks for a bundle, of which nothing is read yet. */
  async function openBundle(versions = '02'): Promise<IncomingMessage> {
    const { admin, url } = vcs();
    const query = `cmd=getbundle&cg=1&bundlecaps=HG20%2Cbundle2%3DHG20%250Achangegroup%253D${versions}`;
    const headers = { Authorization: `Basic ${Buffer.from(`api-key:${admin.apiKey}`).toString('base64')}` };
    const sent = request(url(`${repository}?${query}`), { headers });
    sent.on('error', () => {}).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    return response;
  }

  it('D12 hg ends with a client that goes, and one process stays to fork others', async () => {
    // The first two are equal, and share a process.
    const responses = await Promise.all([openBundle(), openBundle(), openBundle('01%252C02')]);
    await eventually(serving, (pids) => pids.length === 3, 60);
    for (const response of responses) response.destroy();
    await eventually(serving, (pids) => pids.length === 1, 60);
  });

  it('E4 a client whose worker dies gets an error and no half clone; no process of the worker stays', async () => {
    const { workers, url, bytesMoved } = vcs();
    const path = freshPath();
    const before = await bytesMoved('second', 'out');
    const cloning = runHg(vcs().directory, ['clone', url(repository, login), path]);
    await eventually(
      () => bytesMoved('second', 'out'),
      (bytes) => bytes - before > 50_000,
      60,
    );
    await eventually(serving, (pids) => pids.length === 2, 60);
    await workers['second']?.kill();
    const { exitCode, stderr } = await cloning;
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('abort: ');
    expect(existsSync(path)).toBe(false);
    await eventually(serving, (pids) => pids.length === 0, 60);
    const away = await runHg(vcs().directory, ['identify', url(repository, login)]);
    expect(away.stderr).toContain('HTTP Error 503: Service is temporarily unavailable, try again later');
    expect(await logOf(await clone('group/default'))).toBe(await logOf(remote.directory));
  });

  it('D12 processes that serve clients end with a worker that is stopped', async () => {
    const { directory, url } = vcs();
    await hg(directory, 'identify', '-r', 'tip', url('group/default', login));
    await eventually(
      () => serving('default'),
      (pids) => pids.length === 1,
      60,
    );
    await vcs().workers['default']?.stop();
    await eventually(
      () => serving('default'),
      (pids) => pids.length === 0,
      60,
    );
  });
});
