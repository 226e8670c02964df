import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { commandLines } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { createClient } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import { openPack } from './open-pack.ts';
import { git, runGit, storageNames, useVcsCluster } from './vcs-cluster.ts';

const vcs = useVcsCluster();
const commits = 5;
const large = 'x'.repeat(3_000);
/** Too large for a message of the bus. */
const random = randomBytes(600_000).toString('base64');
const committer = (at: number) => `committer Ann <ann@example.com> ${1_700_000_000 + at} +0000\n`;

let remote: Remote;
let login = '';
let ids: string[] = [];

beforeAll(async () => {
  const { admin } = vcs();
  login = `admin:${admin.apiKey}`;
  remote = await makeGitRemote();
  ids = [await remote.commit({ random })];
  for (let at = 0; at < commits; at += 1) {
    ids.push(await remote.commit({ [`dir/file-${at}`]: `${at}${large}`, changing: String(at) }, `change ${at}`));
  }
  for (const storage of storageNames) {
    await admin.result('create_repo', {
      repo_name: `group/${storage}`,
      repo_type: 'git',
      clone_uri: remote.url,
      storage,
    });
    await admin.result('create_repo', { repo_name: `empty-${storage}`, repo_type: 'git', storage });
  }
}, 120_000);

afterAll(() => remote.close());

/** Returns a path for a clone that does not exist yet. */
let clones = 0;
function freshPath(): string {
  clones += 1;
  return join(vcs().directory, `clone-${clones}`);
}

const objectsOf = (path: string, ...revisions: string[]) =>
  git(path, 'rev-list', '--objects', ...(revisions.length > 0 ? revisions : ['--all', 'HEAD']));

async function clone(repository: string, options: readonly string[] = [], gateway = 0): Promise<string> {
  const path = freshPath();
  await git(vcs().directory, 'clone', '-q', ...options, vcs().url(repository, login, gateway), path);
  return path;
}

describe.each(storageNames)('of the storage `%s`', (storage) => {
  it('git clones all objects, through either gateway', async () => {
    for (const gateway of [0, 1]) {
      const path = await clone(`group/${storage}`, [], gateway);
      await git(path, 'fsck', '--strict');
      expect(await objectsOf(path)).toBe(await objectsOf(remote.directory));
      expect((await git(path, 'rev-parse', 'HEAD')).trim()).toBe(ids.at(-1));
    }
  });

  it('git clones an empty repository', async () => {
    const path = await clone(`empty-${storage}`);
    expect(await git(path, 'for-each-ref')).toBe('');
  });
});

it.each(['0', '1'])('git clones all objects with version %s of the protocol', async (version) => {
  const path = await clone('group/default', ['-c', `protocol.version=${version}`], 1);
  await git(path, 'fsck', '--strict');
  expect(await objectsOf(path)).toBe(await objectsOf(remote.directory));
});

it('git clones some of the history, then the rest', async () => {
  const path = await clone('group/second', ['--depth=2', '--no-local'], 1);
  expect((await git(path, 'rev-list', 'HEAD')).trim().split('\n')).toEqual(ids.slice(-2).toReversed());
  await git(path, 'fetch', '-q', '--unshallow');
  await git(path, 'fsck', '--strict');
  expect(await objectsOf(path)).toBe(await objectsOf(remote.directory));
});

it('git clones without files, and fetches a file when it is read', async () => {
  const path = await clone('group/second', ['--filter=blob:none', '--no-checkout'], 1);
  const missing = await git(path, 'rev-list', '--objects', '--missing=print', 'HEAD');
  expect(missing.split('\n').filter((line) => line.startsWith('?')).length).toBeGreaterThan(commits);
  expect(await git(path, 'show', `${ids[4]}:dir/file-3`)).toBe(`3${large}`);
});

it('git fetches what was committed since, and nothing when there is nothing', async () => {
  const { admin } = vcs();
  const name = 'group/fetched';
  const own = await makeGitRemote();
  const first = await own.commit({ [someFile]: '1' });
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: own.url, storage: 'second' });
  const path = await clone(`${name}.git`);
  expect((await git(path, 'rev-parse', 'HEAD')).trim()).toBe(first);
  const second = await own.commit({ [someFile]: '2' });
  await admin.result('pull', { repoid: name });
  await git(path, 'fetch', '-q');
  await git(path, 'fetch', '-q');
  expect((await git(path, 'rev-parse', `origin/${mainBranch}`)).trim()).toBe(second);
  await own.close();
});

it('a repository has a permanent address, and one with `.git`', async () => {
  const { admin, url, directory } = vcs();
  const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: 'group/default' });
  for (const path of [`_${id}`, `_${id}.git`, 'group/default', 'group/default.git', 'group/default/']) {
    const { stdout } = await runGit(directory, ['ls-remote', url(path, login), 'HEAD']);
    expect(stdout).toBe(`${ids.at(-1)}\tHEAD\n`);
  }
});

it('git negotiates over thousands of commits of its own, in requests that it compresses', async () => {
  const path = freshPath();
  await git(vcs().directory, 'init', '-q', '--bare', path);
  const ownCommits = Array.from({ length: 6_000 }, (_, at) => `commit refs/heads/own\n${committer(at)}data 1\nx`);
  await fastImport(path, ownCommits.join('\n'));
  const before = await vcs().bytesMoved('second', 'in');
  const trace = { GIT_CURL_VERBOSE: '1', GIT_TRACE_CURL_NO_DATA: '1' };
  const fetched = await runGit(path, ['fetch', vcs().url('group/second', login, 1), `${mainBranch}:fetched`], trace);
  expect(fetched.exitCode).toBe(0);
  expect(/content-encoding: gzip/i.test(fetched.stderr)).toBe(true);
  expect((await git(path, 'rev-parse', 'fetched')).trim()).toBe(ids.at(-1));
  // The last requests are too large for a message of the bus.
  expect((await vcs().bytesMoved('second', 'in')) - before).toBeGreaterThan(64 * 1024);
});

describe('rights and logins', () => {
  it('git signs in with a password, and is refused with a wrong one', async () => {
    const { admin, url, directory } = vcs();
    await admin.result('create_user', { username: 'ann', email: 'ann@example.com', password: 'a secret of ann' });
    const list = (login: string, name = 'group/default') =>
      runGit(directory, ['ls-remote', url(name, login, 1), 'HEAD']);
    expect((await list('ann:a%20secret%20of%20ann')).stdout).toBe(`${ids.at(-1)}\tHEAD\n`);
    expect((await list('ann:wrong')).stderr).toContain('Authentication failed');
    expect((await list('')).stderr).toMatch(/could not read Username|Authentication failed/);
    await admin.result('create_repo', { repo_name: 'hidden', repo_type: 'git', private: true });
    const answers = await Promise.all(['hidden', 'missing'].map((name) => list('ann:a%20secret%20of%20ann', name)));
    for (const { stderr } of answers) {
      expect(stderr.replaceAll(/hidden|missing/g, 'x')).toBe(answers[0]?.stderr.replaceAll(/hidden|missing/g, 'x'));
      expect(stderr).toContain('remote: Repository not found');
    }
  });

  it('git needs no login where anonymous visitors may read, and no log shows one', async () => {
    const { admin, cluster, directory } = vcs();
    const open = await cluster.startGateway({ TRUNKLINE_ANONYMOUS_VIEWING: 'true', TRUNKLINE_LOG_LEVEL: 'info' });
    await admin.result('create_repo', { repo_name: 'closed', repo_type: 'git', private: true });
    const { host } = new URL(open.baseUrl);
    const list = (name: string, credentials = '') =>
      runGit(directory, ['ls-remote', `http://${credentials}${host}/${name}`, 'HEAD']);
    expect((await list('group/second')).stdout).toBe(`${ids.at(-1)}\tHEAD\n`);
    for (const name of ['closed', 'missing']) expect((await list(name)).stderr).toContain('could not read Username');
    expect((await list('closed', `${login}@`)).exitCode).toBe(0);
    expect((await list('closed', 'admin:mistyped-secret@')).exitCode).not.toBe(0);
    const push = await fetch(`${open.baseUrl}/group/second/info/refs?service=git-receive-pack`);
    expect(push.status).toBe(401);
    const logs = await eventually(
      () => cluster.logs(),
      (text) => text.includes('"git-push-refs"'),
    );
    expect(logs).toContain('"git-refs"');
    for (const secret of [admin.apiKey, 'mistyped-secret']) expect(logs.includes(secret)).toBe(false);
    await open.stop();
  });

  it('the address for clients is below TRUNKLINE_BASE_URL', async () => {
    const { admin, cluster } = vcs();
    const env = { TRUNKLINE_BASE_URL: 'https://code.example.com/' };
    const { baseUrl, stop } = await cluster.startGateway(env);
    const asked = createClient(baseUrl, admin.apiKey);
    expect(await asked.result('get_repo', { repoid: 'group/default' })).toMatchObject({
      clone_url: 'https://code.example.com/group/default',
    });
    await stop();
  });
});

/** Returns the process ids of the commands that stand still after the beginning of a pack. */
async function heldCommands(): Promise<number[]> {
  const { heldGit } = vcs();
  return [...(await commandLines())].flatMap(([id, words]) =>
    words.includes(`\0${heldGit}\0upload-pack`) ? [id] : [],
  );
}

const untilRunning = (isRunning: boolean) => eventually(heldCommands, (found) => found.length > 0 === isRunning, 60);

/** Opens the fetch of a pack of which the beginning has come; its command is held. */
async function openFetch(repository: string, gateway: number): Promise<IncomingMessage> {
  const { admin, url } = vcs();
  const response = await openPack(url(repository, '', gateway), admin.apiKey, ids.at(-1) ?? '');
  expect(response.statusCode).toBe(200);
  return response;
}

describe('a transfer that breaks off', () => {
  beforeEach(() => writeFile(vcs().hold, ''));
  afterEach(() => rm(vcs().hold, { force: true }));

  it('D12 git ends with a client that goes', async () => {
    const response = await openFetch('group/second', 1);
    await untilRunning(true);
    response.destroy();
    expect(await untilRunning(false)).toEqual([]);
  });

  it('E5 a clone goes on while the bus is away, and later ones are told to come back', async () => {
    const { cluster, directory, url } = vcs();
    // Not the repository of the other tests, whose answer is kept from the second one on.
    const response = await openFetch('group/default', 1);
    await untilRunning(true);
    await cluster.nats.kill();
    const refused = await eventually(
      () => runGit(directory, ['ls-remote', url('group/default', login)]),
      ({ exitCode }) => exitCode !== 0,
      60,
    );
    expect(refused.stderr).toContain('Service is temporarily unavailable, try again later');
    await rm(vcs().hold);
    const pack = await buffer(response);
    // The end of a whole answer: an empty packet.
    expect([pack.length > 300_000, pack.subarray(-4).toString('latin1')]).toEqual([true, '0000']);
    await cluster.restartNats();
    for (const baseUrl of cluster.baseUrls) {
      await eventually(
        () => readReadiness(baseUrl),
        ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0,
        60,
      );
    }
  });

  it('E4 a client whose worker dies gets an error, and no part of a pack as the whole', async () => {
    const { workers } = vcs();
    const response = await openFetch('group/second', 0);
    await untilRunning(true);
    await workers['second']?.kill();
    await expect(buffer(response)).rejects.toThrow('aborted');
    await rm(vcs().hold);
    const { stderr } = await runGit(vcs().directory, ['ls-remote', vcs().url('group/second', login)]);
    expect(stderr).toContain('Service is temporarily unavailable, try again later');
    const path = await clone('group/default');
    expect((await git(path, 'rev-parse', 'HEAD')).trim()).toBe(ids.at(-1));
  });
});
