import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeGitRemote, makeHgRemote, git, hg, type Remote } from '../harness/remotes.ts';
import { admin, cluster, makeRepository } from '../harness/shared-cluster.ts';
import { someFile, uniqueName } from '../harness/unique-name.ts';
import { askBoth, type Answered, type Asked } from './floors/ask-both.ts';
import { readGitAnswer } from './floors/git-answer.ts';

// Mercurial starts often, beside whatever else the machine does.
const hookMs = 180_000;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-floors-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const pkt = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const [flush, delimiter] = ['0000', '0001'];

describe('git is answered as by git http-backend', () => {
  let remote: Remote;
  let name = '';
  let [first, tip] = ['', ''];

  beforeAll(async () => {
    remote = await makeGitRemote();
    first = await remote.commit({ [someFile]: '1', 'dir/other': 'x'.repeat(2_000) });
    tip = await remote.commit({ [someFile]: '2' });
    await git(remote.directory, 'tag', '-a', '-m', 'a tag', 'v1', first);
    await git(remote.directory, 'branch', 'topic/ü', first);
    // The service allows these for all repositories.
    await git(remote.directory, 'config', 'uploadpack.allowFilter', 'true');
    name = await makeRepository('git');
    const { host } = new URL(cluster.baseUrl);
    const all = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'];
    await git(remote.directory, 'push', '-q', `http://api-key:${admin.apiKey}@${host}/${name}`, ...all);
  }, hookMs);
  afterAll(() => remote.close());

  const refs = (service: string, version = '') => ({
    path: `/info/refs?service=git-${service}`,
    headers: version === '' ? {} : { 'git-protocol': `version=${version}` },
  });
  const upload = (version: string, ...parts: string[]) => ({
    path: '/git-upload-pack',
    body: parts.join(''),
    headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': `version=${version}` },
  });
  const lsRefs = (...args: string[]) =>
    upload('2', pkt('command=ls-refs\n'), pkt('object-format=sha1'), delimiter, ...args.map(pkt), flush);
  const fetchPack = (...args: string[]) =>
    upload('2', pkt('command=fetch'), pkt('object-format=sha1'), delimiter, ...args.map(pkt), flush);
  const missing = '1'.repeat(40);

  const requests: Readonly<Record<string, () => Asked>> = {
    'references, version 0': () => refs('upload-pack'),
    'references, version 1': () => refs('upload-pack', '1'),
    'capabilities, version 2': () => refs('upload-pack', '2'),
    'an unknown version': () => refs('upload-pack', '7'),
    'ls-refs': () => lsRefs(),
    'ls-refs with all arguments': () => lsRefs('peel\n', 'symrefs\n', 'unborn\n', 'ref-prefix refs/heads/t\n'),
    'a fetch of all': () => fetchPack(`want ${tip}\n`, 'ofs-delta\n', 'no-progress\n', 'done\n'),
    'a fetch of a part': () => fetchPack(`want ${tip}\n`, `have ${first}\n`, 'no-progress\n', 'done\n'),
    'a negotiation': () => fetchPack(`want ${tip}\n`, `have ${missing}\n`, 'no-progress\n'),
    'a shallow fetch': () => fetchPack(`want ${tip}\n`, 'deepen 1\n', 'no-progress\n', 'done\n'),
    'a fetch without files': () => fetchPack(`want ${tip}\n`, 'filter blob:none\n', 'no-progress\n', 'done\n'),
    'a fetch of what is missing': () => fetchPack(`want ${missing}\n`, 'done\n'),
    nothing: () => upload('2', flush),
    'a fetch, version 0': () =>
      upload('0', pkt(`want ${tip} side-band-64k ofs-delta no-progress\n`), flush, pkt('done\n')),
    'a fetch without side band, version 0': () => upload('0', pkt(`want ${tip}\n`), flush, pkt('done\n')),
    'a negotiation, version 0': () =>
      upload('0', pkt(`want ${tip} multi_ack_detailed side-band-64k\n`), flush, pkt(`have ${first}\n`), flush),
    'a shallow fetch, version 0': () =>
      upload('0', pkt(`want ${tip} side-band-64k no-progress\n`), pkt('deepen 1\n'), flush, pkt('done\n')),
    'a fetch of what is missing, version 0': () => upload('0', pkt(`want ${missing}\n`), flush, pkt('done\n')),
  };

  it.each(Object.entries(requests))('%s', async (_what, asked) => {
    const { expected, actual } = await askBoth(remote.url, name, asked());
    const shown = async ({ bytes, ...more }: Answered) => ({
      ...more,
      ...(await readGitAnswer(bytes, directory)),
    });
    expect(await shown(actual)).toEqual(await shown(expected));
  });

  it('the references of a push, but for what pushes may ask for', async () => {
    const { expected, actual } = await askBoth(remote.url, name, refs('receive-pack'));
    const [ours, theirs] = await Promise.all(
      [actual, expected].map(async ({ bytes }) => (await readGitAnswer(bytes, directory)).lines),
    );
    expect(actual).toMatchObject({ status: 200, type: expected.type, cache: expected.cache });
    const names = (lines: readonly string[] = []) => lines.map((line) => line.replace(/ \[.*/, ''));
    expect(names(ours)).toEqual(names(theirs));
  });

  it('what git does not know gets an error, where git http-backend says nothing', async () => {
    for (const asked of [lsRefs('colour\n'), upload('2', pkt('command=paint'), flush)]) {
      const { expected, actual } = await askBoth(remote.url, name, asked);
      expect([expected.status, expected.bytes.length]).toEqual([200, 0]);
      expect([actual.status, actual.bytes.toString()]).toEqual([400, 'The request is malformed\n']);
    }
  });

  it('a service that git does not have', async () => {
    const { expected, actual } = await askBoth(remote.url, name, refs('paint-pack'));
    expect(actual.status).toBe(expected.status);
  });
});

describe('Mercurial is answered as by hgweb', () => {
  /** Bookmarks: hgweb of Python 3 fails at letters beyond ASCII in arguments, which name the second one. */
  const marks = [uniqueName('kept'), 'kept'] as const;
  let remote: Remote;
  let name = '';
  let [first, tip] = ['', ''];

  beforeAll(async () => {
    remote = await makeHgRemote();
    first = await remote.commit({ [someFile]: '1' });
    tip = await remote.commit({ [someFile]: '2', other: 'x'.repeat(2_000) });
    await hg(remote.directory, 'bookmark', ...marks);
    name = await makeRepository('hg');
    const { host } = new URL(cluster.baseUrl);
    await hg(
      remote.directory,
      'push',
      '-q',
      ...marks.flatMap((mark) => ['-B', mark]),
      `http://api-key:${admin.apiKey}@${host}/${name}`,
    );
  }, hookMs);
  afterAll(() => remote.close());

  const command = (cmd: string, args = '') => ({
    path: `?cmd=${cmd}`,
    headers: args === '' ? {} : { 'x-hgarg-1': args },
  });
  const bundle = (common: string) =>
    command('getbundle', `bundlecaps=HG20%2Cbundle2%3DHG20%250Achangegroup%253D02&cg=1&common=${common}&heads=${tip}`);
  const missing = '1'.repeat(40);

  const requests: Readonly<Record<string, () => Asked>> = {
    heads: () => command('heads'),
    branchmap: () => command('branchmap'),
    'what is known': () => command('known', `nodes=${first}+${missing}+${tip}`),
    'a batch': () => command('batch', `cmds=heads+%3Bknown+nodes%3D${first}%3Blookup+key%3Dtip`),
    'a name': () => command('lookup', `key=${marks[1]}`),
    'a name that is missing': () => command('lookup', 'key=nothing'),
    namespaces: () => command('listkeys', 'namespace=namespaces'),
    bookmarks: () => command('listkeys', 'namespace=bookmarks'),
    phases: () => command('listkeys', 'namespace=phases'),
    'an unknown namespace': () => command('listkeys', 'namespace=paint'),
    'ids between two': () => command('between', `pairs=${tip}-${first}`),
    branches: () => command('branches', `nodes=${tip}`),
    protocaps: () => command('protocaps', 'caps=x'),
  };

  it.each(Object.entries(requests))('%s', async (_what, asked) => {
    const { expected, actual } = await askBoth(remote.url.replace(/\/$/, ''), name, asked());
    const shown = ({ status, type, bytes }: Answered) => ({ status, type, text: bytes.toString('latin1') });
    expect(shown(actual)).toEqual(shown(expected));
  });

  it.each(['0'.repeat(40), 'the first'])('a bundle of what follows %s', async (common) => {
    const asked = bundle(common === 'the first' ? first : common);
    const { expected, actual } = await askBoth(remote.url.replace(/\/$/, ''), name, asked);
    expect(actual.type).toBe(expected.type);
    expect(inflateSync(actual.bytes).equals(inflateSync(expected.bytes))).toBe(true);
  });
});
