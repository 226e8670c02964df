import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { admin, cluster, sql, uniqueName } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';
import { beginHgPush, type SentHgPush } from './held-bundle.ts';
import { bookmarkPart, bundleOf, type BundlePart } from './hg-bundle.ts';
import { feed, tipOf } from './pushed.ts';
import { hg, runHg } from './vcs-cluster.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 });

let directory = '';
let ann: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-hg-pushes-'));
  const username = uniqueName('ann');
  await admin.result('create_user', { username, email: `${username}@example.com` });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  ann = createClient(cluster.baseUrl, key);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const urlOf = (name: string, key = admin.apiKey) => `http://api-key:${key}@${new URL(cluster.baseUrl).host}/${name}`;

/** Clones a repository, with a login that the clone keeps. */
async function clone(name: string, path: string): Promise<void> {
  await hg(directory, 'clone', '-q', urlOf(name), path);
  await writeFile(join(path, '.hg/hgrc'), `[paths]\ndefault = ${urlOf(name)}\n`);
}

/** Makes a repository, and an empty clone of it. */
async function makePair(storage = 'default') {
  const name = uniqueName('hg-pushed');
  await admin.result('create_repo', { repo_name: name, repo_type: 'hg', storage });
  const path = join(directory, name);
  await clone(name, path);
  return { name, path };
}

async function commit(path: string, text: string, ...options: string[]): Promise<string> {
  await writeFile(join(path, someFile), text);
  await hg(path, 'commit', '-q', '-A', '-m', `says ${text}`, ...options);
  return hg(path, 'log', '-r', '.', '-T', '{node}');
}

const push = (path: string, ...args: string[]) => runHg(path, ['push', ...args]);

const outcomesOf = async (name: string) => {
  const rows = await sql`
    select outcome from audit_log where method = 'push' and args->>'repoid' = ${name} order by id`;
  return rows.map(({ outcome }) => String(outcome));
};

/** Expects that database and disk agree, and that no operation is left. */
async function expectConsistent(name: string): Promise<void> {
  expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  expect(await sql`select id from operations where state = 'running' and request->>'name' = ${name}`).toHaveLength(0);
}

function send(name: string, body: Buffer, options: Partial<SentHgPush> = {}) {
  const { sent, answer } = beginHgPush({ baseUrl: cluster.baseUrl, name, key: admin.apiKey, ...options });
  sent.end(body);
  return answer;
}

it('hg pushes, and all is recorded when hg says so', async () => {
  const { name, path } = await makePair('second');
  await admin.result('follow_repo', { repoid: name });
  const first = await commit(path, 'one');
  const pushed = await push(path);
  expect(pushed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(pushed.stdout).toContain('remote: added 1 changesets with 1 changes to 1 files');
  expect(await tipOf(name)).toBe(first);
  expect((await hg(path, 'phase', '-r', '.')).trim()).toBe('0: public');
  const second = await commit(path, 'two');
  expect(await push(path)).toMatchObject({ exitCode: 0 });
  expect(await tipOf(name)).toBe(second);
  expect(await outcomesOf(name)).toEqual(['succeeded', 'succeeded']);
  expect(await feed('_admin/journal')).toContain(`pushed into ${name}`);
  expect(await feed(`${name}/feed`)).toContain('says two');
  expect((await hg(directory, 'identify', '--id', '--debug', '-r', 'tip', urlOf(name))).split('\n')).toContain(second);
  await expectConsistent(name);
});

it('hg pushes with variables, and is told that they have no effect', async () => {
  const { name, path } = await makePair();
  const first = await commit(path, 'one');
  const pushed = await push(path, '--pushvars', 'SKIP=1', '--pushvars', 'WHY=x y');
  expect(pushed).toMatchObject({ exitCode: 0 });
  expect(pushed.stdout.split('remote: Push variables have no effect here\n')).toHaveLength(2);
  expect(await tipOf(name)).toBe(first);
  // Mercurial sends the variables alone.
  const again = await push(path, '--pushvars', 'SKIP=1');
  expect(again.stdout).toContain('no changes found');
  expect(await tipOf(name)).toBe(first);
});

it('hg pushes new heads, named and closed branches, and bookmarks', async () => {
  const { name, path } = await makePair();
  const first = await commit(path, 'one');
  await push(path);
  await commit(path, 'two');
  await hg(path, 'update', '-q', first);
  await commit(path, 'three');
  expect((await push(path)).stderr).toContain('push creates new remote head');
  expect(await push(path, '-f')).toMatchObject({ exitCode: 0 });
  await hg(path, 'branch', '-q', uniqueName('feature/x'));
  await commit(path, 'four');
  await commit(path, 'five', '--close-branch');
  expect(await push(path, '--new-branch')).toMatchObject({ exitCode: 0 });
  const kept = uniqueName('kept');
  await hg(path, 'bookmark', '-r', first, kept);
  expect((await push(path, '-B', kept)).stdout).toContain(`exporting bookmark ${kept}`);
  await hg(path, 'bookmark', '-f', '-r', 'tip', kept);
  expect((await push(path, '-B', kept)).stdout).toContain(`updating bookmark ${kept}`);
  const copy = join(directory, `${name}-copy`);
  await clone(name, copy);
  expect(await hg(copy, 'branches', '--closed')).toBe(await hg(path, 'branches', '--closed'));
  expect(await hg(copy, 'log', '-r', kept, '-T', '{node}')).toBe(await hg(path, 'log', '-r', 'tip', '-T', '{node}'));
  await hg(path, 'bookmark', '-d', kept);
  expect((await push(path, '-B', kept)).stdout).toContain(`deleting remote bookmark ${kept}`);
  expect(await admin.result('get_repo_refs', { repoid: name })).toMatchObject({ bookmarks: {} });
  await expectConsistent(name);
});

it('of two pushers the second one is told of the race, and nothing of its push stays', async () => {
  const { name, path } = await makePair();
  await commit(path, 'base');
  await push(path);
  const other = join(directory, `${name}-other`);
  await clone(name, other);
  const won = await commit(other, 'first');
  await commit(path, 'second');
  // The hook runs after the client has seen what the repository has, and before it sends anything.
  const hold = join(directory, `${name}-hold`);
  const hook = `touch ${hold}; while [ -e ${hold} ]; do sleep 0.1; done`;
  const racing = push(path, '--config', `hooks.preoutgoing=${hook}`);
  await eventually(
    () => readdir(directory),
    (found) => found.includes(`${name}-hold`),
    60,
  );
  expect(await push(other)).toMatchObject({ exitCode: 0 });
  await rm(hold);
  const lost = await racing;
  expect(lost.exitCode).not.toBe(0);
  expect(lost.stderr).toMatch(/push failed|changed while pushing|updated during push/);
  expect(await tipOf(name)).toBe(won);
  expect(await outcomesOf(name)).toEqual(['succeeded', 'succeeded', 'failed']);
  await expectConsistent(name);
});

it('who may not push is told why', async () => {
  const { name, path } = await makePair();
  await commit(path, 'one');
  await admin.result('grant_user_permission', { repoid: name, userid: await nameOf(ann), perm: 'repository.read' });
  const asAnn = () => push(path, urlOf(name, ann.apiKey));
  expect((await asAnn()).stderr).toContain(`HTTP Error 403: You may read \`${encodeURI(name)}\`, but not push into it`);
  await admin.result('grant_user_permission', { repoid: name, userid: await nameOf(ann), perm: 'repository.write' });
  await admin.result('lock', { repoid: name, locked: true });
  expect((await asAnn()).stderr).toMatch(/HTTP Error 423: Repository `.*` locked by user `/);
  await admin.result('lock', { repoid: name, locked: false });
  expect(await asAnn()).toMatchObject({ exitCode: 0 });
  const made = await ann.result<{ api_key: { api_key: string } }>('create_api_key', { limited_to: 'fetch' });
  await commit(path, 'two');
  expect((await push(path, urlOf(name, made.api_key.api_key))).stderr).toContain('HTTP Error 403: ');
  expect(await outcomesOf(name)).toEqual(['succeeded']);
});

const nameOf = async (client: Client) => (await client.result<{ username: string }>('get_user')).username;

describe('F3 D1 what a bundle may not have', () => {
  let name = '';
  let id = '';
  beforeAll(async () => {
    const pair = await makePair();
    name = pair.name;
    id = await commit(pair.path, 'one');
    await push(pair.path);
  }, 120_000);

  const stream = { requirements: 'revlogv1', filecount: '1', bytecount: '4' };
  const evil = Buffer.from('c\x06\x04canaryevil', 'latin1');
  const attacks: Readonly<Record<string, [BundlePart, RegExp]>> = {
    'a part with a URL': [
      { name: 'REMOTE-CHANGEGROUP', params: { url: 'http://127.0.0.1:9/canary', size: '1', digests: '' } },
      /UNSUPPORTEDCONTENT/,
    ],
    'files of the store': [{ name: 'STREAM2', params: stream, data: evil }, /UNSUPPORTEDCONTENT/],
    'obsolescence markers': [{ name: 'OBSMARKERS', data: Buffer.from([1]) }, /UNSUPPORTEDCONTENT/],
    'variables of hooks': [{ name: 'PUSHVARS', params: { A: 'b' } }, /UNSUPPORTEDCONTENT/],
    'an unknown part': [{ name: 'X-UNKNOWN' }, /UNSUPPORTEDCONTENT/],
    'another format of the store': [
      { name: 'CHANGEGROUP', params: { version: '02', treemanifest: '1' } },
      /UNSUPPORTEDCONTENT/,
    ],
    'changesets of another version': [{ name: 'CHANGEGROUP', params: { version: '03' } }, /UNSUPPORTEDCONTENT/],
    'a key of another namespace': [
      { name: 'PUSHKEY', params: { namespace: 'obsolete', key: 'x', old: '', new: 'y' } },
      /only bookmarks and phases are served here/,
    ],
    'changesets that are none': [
      { name: 'CHANGEGROUP', params: { version: '02' }, data: Buffer.from('no changesets') },
      /ABORT/,
    ],
    'heads that are not there any more': [{ name: 'CHECK:HEADS', data: Buffer.alloc(20, 7) }, /PUSHRACED/],
  };

  it.each(Object.entries(attacks))('%s is refused, and nothing is changed', async (_what, [part, text]) => {
    const answer = await send(name, bundleOf(part));
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(text);
    expect(await tipOf(name)).toBe(id);
  });

  it('a bookmark whose name has another line is refused with all others', async () => {
    const bundle = bundleOf(bookmarkPart('fine', id), bookmarkPart(`a\n${id} b`, id));
    expect((await send(name, bundle)).text).toContain('cannot be used in a name');
    expect(await admin.result('get_repo_refs', { repoid: name })).toMatchObject({ bookmarks: {} });
  });

  it('other commands change nothing', async () => {
    const key = (namespace: string) => `namespace=${namespace}&key=own&old=&new=${id}`;
    const options = (args: string) => ({ command: 'pushkey', args });
    expect((await send(name, Buffer.alloc(0), options(key('obsolete')))).text).toContain('only bookmarks and phases');
    expect((await send(name, Buffer.alloc(0), options(key('namespaces')))).text).toContain('only bookmarks and phases');
    expect((await send(name, Buffer.from('HG10UN'))).text).toContain('of a kind that is not served here');
    expect((await send(name, bundleOf(), { args: 'heads=xyz' })).text).toContain('the heads are malformed');
    const batch = await send(name, Buffer.alloc(0), { command: 'batch', args: 'cmds=pushkey namespace=bookmarks' });
    expect(batch.text).toContain('not served here');
    expect(await admin.result('get_repo_refs', { repoid: name })).toMatchObject({ bookmarks: {} });
    expect((await send(name, Buffer.alloc(0), options(key('bookmarks')))).text).toBe('1\n');
    expect(await admin.result('get_repo_refs', { repoid: name })).toMatchObject({ bookmarks: { own: id } });
    await expectConsistent(name);
  });
});
