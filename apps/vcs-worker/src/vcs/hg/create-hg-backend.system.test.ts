import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import { commitHg, hg, writeFiles } from '../testing/tools.ts';
import {
  makeSource,
  neverAborted,
  openWorkbench,
  remoteOf,
  type SourceRepository,
  type Workbench,
} from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;

beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.hg;
});
afterAll(() => bench.close());

async function imported({ url }: SourceRepository): Promise<string> {
  const path = bench.freshPath();
  await backend.importFrom(path, 'uuid', remoteOf('hg', url), neverAborted);
  return path;
}

async function fresh(): Promise<string> {
  const path = bench.freshPath();
  await mkdir(path);
  await hg(path, 'init', '.');
  return path;
}

const unknown = { kind: 'unknown-revision' };

describe('importFrom and pull', () => {
  it('fetch every head, branch, tag and bookmark into a sound repository', async () => {
    const source = await makeSource(bench, 'hg');
    const first = await commitHg(source.directory, { a: '1' });
    await hg(source.directory, 'tag', 'v1', '-u', 'Ann');
    await hg(source.directory, 'bookmark', '-r', first, 'mark/é');
    const path = await imported(source);
    expect(await hg(path, 'bookmarks', '-T', '{bookmark} {node}\n')).toBe(`mark/é ${first}`);
    expect(await backend.resolveRevision(path, 'v1')).toBe(first);

    await hg(source.directory, 'update', '-q', first);
    await hg(source.directory, 'branch', '-q', 'side');
    const side = await commitHg(source.directory, { b: '1' });
    await hg(source.directory, 'bookmark', '-r', side, 'later');
    await backend.pull(path, remoteOf('hg', source.url), neverAborted);
    expect(await hg(path, 'heads', '-t', '-T', '{node}\n')).toContain(side);
    expect(await backend.resolveRevision(path, 'side')).toBe(side);
    expect(await backend.resolveRevision(path, 'later')).toBe(side);
    await hg(path, 'verify', '-q');
  });
});

describe('revisions', () => {
  const ids = { first: '', second: '', closed: '', open: '', tip: '' };
  let path = '';
  beforeAll(async () => {
    path = await fresh();
    ids.first = await commitHg(path, { a: '0' });
    ids.second = await commitHg(path, { a: '1' });
    await hg(path, 'branch', '-q', 'side');
    ids.open = await commitHg(path, { a: '2' });
    await hg(path, 'update', '-q', ids.second);
    await hg(path, 'branch', '-q', '-f', 'side');
    await commitHg(path, { a: '3' });
    await hg(path, 'commit', '--close-branch', '-m', 'x', '-u', 'Ann');
    await hg(path, 'update', '-q', ids.first);
    await hg(path, 'branch', '-q', 'done');
    await commitHg(path, { a: '4' });
    await hg(path, 'commit', '--close-branch', '-m', 'x', '-u', 'Ann');
    ids.closed = await hg(path, 'log', '-r', '.', '-T', '{node}');
    await hg(path, 'update', '-q', 'default');
    await hg(path, 'tag', '-u', 'Ann', '-r', ids.first, 'v1', 'both');
    for (const name of ['both', 'side"', '\\x', "it's", 'a b', 'é', 'all()', ids.first]) {
      await hg(path, 'bookmark', '-f', '-r', ids.second, name);
    }
    ids.tip = await hg(path, 'log', '-r', 'tip', '-T', '{node}');
  });

  it.each(['', 'tip', 'HEAD', 'head', -1, '-1', null])('%j is the newest changeset', async (revision) => {
    expect(await backend.resolveRevision(path, revision)).toBe(ids.tip);
    expect((await backend.tip(path))?.rawId).toBe(ids.tip);
  });

  it('a number is a local number, and unknown when no changeset has it', async () => {
    const found = await Promise.all([0, '1', '00000000002'].map((number) => backend.resolveRevision(path, number)));
    expect(found).toEqual([ids.first, ids.second, ids.open]);
    for (const number of [99, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 99_999_999_999, -2, '1.5']) {
      await expect(backend.resolveRevision(path, number), String(number)).rejects.toMatchObject(unknown);
    }
  });

  it('a name is a bookmark before a branch, a branch before a tag, and is read literally', async () => {
    const second = ['both', 'side"', '\\x', "it's", 'a b', 'é', 'all()'];
    for (const name of second) expect(await backend.resolveRevision(path, name), name).toBe(ids.second);
    expect(await backend.resolveRevision(path, 'v1')).toBe(ids.first);
    for (const name of ['literal:v1', 're:v', 'v.*']) {
      await expect(backend.resolveRevision(path, name), name).rejects.toMatchObject(unknown);
    }
    expect(await backend.resolveRevision(path, 'default')).toBe(ids.tip);
    await hg(path, 'bookmark', '-f', '-r', ids.open, 'default');
    expect(await backend.resolveRevision(path, 'default')).toBe(ids.open);
    await hg(path, 'bookmark', '-d', 'default');
  });

  it('a name in full is of its kind alone, whatever number, id or other kind has it', async () => {
    await hg(path, 'bookmark', '-r', ids.open, 'v1');
    await appendFile(join(path, '.hg/bookmarks'), `${ids.closed} 0\n`);
    const expected = [
      ['book:v1', ids.open],
      ['tag:v1', ids.first],
      ['book:both', ids.second],
      ['tag:both', ids.first],
      ['branch:side', ids.open],
      ['branch:done', ids.closed],
      ['book:0', ids.closed],
      [`book:${ids.first}`, ids.second],
    ] as const;
    for (const [name, rawId] of expected) expect(await backend.resolveRevision(path, name), name).toBe(rawId);
    for (const name of ['branch:v1', 'tag:side', 'branch:0', 'book:', 'bookmark:v1', 'branch:literal:side']) {
      await expect(backend.resolveRevision(path, name), name).rejects.toMatchObject(unknown);
    }
    for (const name of ['v1', '0']) await hg(path, 'bookmark', '-d', name);
  });

  it('a branch is its newest open head, or a closed one when none is open', async () => {
    expect(await backend.resolveRevision(path, 'side')).toBe(ids.open);
    expect(await backend.resolveRevision(path, 'done')).toBe(ids.closed);
  });

  it('D4 forty hexadecimal digits are an id, also when a bookmark has that name', async () => {
    expect(await backend.resolveRevision(path, ids.first)).toBe(ids.first);
    expect(await backend.resolveRevision(path, ids.first.toUpperCase())).toBe(ids.first);
    await hg(path, 'bookmark', '-r', ids.second, 'e'.repeat(40));
    for (const id of ['e'.repeat(40), 'f'.repeat(40), '0'.repeat(40)]) {
      await expect(backend.resolveRevision(path, id)).rejects.toMatchObject(unknown);
    }
    await hg(path, 'bookmark', '-d', 'e'.repeat(40));
  });

  it('a unique prefix is an id when nothing has it as a name', async () => {
    expect(await backend.resolveRevision(path, ids.second.slice(0, 20))).toBe(ids.second);
    expect(await backend.resolveRevision(path, ids.second.slice(0, 39).toUpperCase())).toBe(ids.second);
    await hg(path, 'bookmark', '-r', ids.open, ids.second.slice(0, 13));
    expect(await backend.resolveRevision(path, ids.second.slice(0, 13))).toBe(ids.open);
    for (const text of ['ffff', '000000000000', 'null', '.', 'wdir()', 'v2', 'tip~1', 'V1']) {
      await expect(backend.resolveRevision(path, text), text).rejects.toMatchObject(unknown);
    }
  });

  it('a prefix of two ids is unknown', async () => {
    const crowded = await fresh();
    await hg(crowded, 'debugbuilddag', '+1500');
    const ids = (await hg(crowded, 'log', '-T', '{node}\n')).split('\n');
    const prefixes = ids.map((id) => id.slice(0, 4));
    const shared = prefixes.find((one) => /[a-f]/.test(one) && prefixes.indexOf(one) !== prefixes.lastIndexOf(one));
    await expect(backend.resolveRevision(crowded, shared ?? '')).rejects.toMatchObject(unknown);
  });
});

describe('nodes', () => {
  it('leaves subrepositories out', async () => {
    const path = await fresh();
    await mkdir(join(path, 'sub'));
    await hg(join(path, 'sub'), 'init', '.');
    await commitHg(join(path, 'sub'), { inner: '' });
    const rawId = await commitHg(path, { '.hgsub': 'sub = sub\n', f: '' });
    expect((await backend.nodes(path, rawId, '')).map(({ name }) => name)).toEqual(['.hgsub', '.hgsubstate', 'f']);
    const clone = bench.freshPath();
    await hg(path, 'clone', '-q', '--noupdate', '.', clone);
    await expect(backend.nodes(clone, rawId, 'sub')).rejects.toBeInstanceOf(VcsError);
    expect(await readdir(clone)).toEqual(['.hg']);
  });

  it('lists a changeset whose .hgsub is broken', async () => {
    const path = await fresh();
    await commitHg(path, { 'd/f': '' });
    const patch = bench.freshPath();
    // `hg commit` would read the broken .hgsub; `import --bypass` does not.
    await writeFile(patch, '--- /dev/null\n+++ b/.hgsub\n@@ -0,0 +1,1 @@\n+no subrepository\n');
    await hg(path, 'import', '--bypass', '-q', '-m', 'x', '-u', 'Ann', patch);
    const rawId = await backend.resolveRevision(path, 'tip');
    expect((await backend.nodes(path, rawId, '')).map(({ name }) => name)).toEqual(['d', '.hgsub', 'd/f']);
    expect((await backend.nodes(path, rawId, 'd')).map(({ name }) => name)).toEqual(['d/f']);
    for (const root of ['e', 'd/f', '.hgsub']) {
      await expect(backend.nodes(path, rawId, root), root).rejects.toMatchObject({ kind: 'unknown-path' });
    }
  });

  it('D9 lists names that are no UTF-8 by their bytes', async () => {
    const path = await fresh();
    await writeFile(Buffer.concat([Buffer.from(`${path}/c`), Buffer.from([0xff])]), '');
    const rawId = await commitHg(path, { 'd/\\"q': '', '-x': '', ' ': '' });
    expect((await backend.nodes(path, rawId, '')).map(({ name }) => name)).toEqual([
      'd',
      ' ',
      '-x',
      'c\ufffdFF',
      'd/\\"q',
    ]);
  });
});

describe('tip', () => {
  it('reads any author, message and time', async () => {
    const path = await fresh();
    await writeFiles(path, { a: '' });
    await hg(path, 'commit', '-A', '-q', '-u', '\u{1f600} {node} <x>', '-d', '-86400 3600', '-m', '{rev}\\0\n\n é');
    expect(await backend.tip(path)).toMatchObject({
      author: '\u{1f600} {node} <x>',
      message: '{rev}\\0\n\n é',
      date: new Date(-86_400_000),
      revision: 0,
    });
  });
});

describe('C9 recover', () => {
  it('removes stale locks and rolls an interrupted transaction back', async () => {
    const source = await makeSource(bench, 'hg');
    await commitHg(source.directory, { a: '1' });
    const path = await imported(source);
    const before = await backend.tip(path);
    const rawId = await commitHg(source.directory, { a: '2' });
    const deadly = '--config=hooks.pretxnchangegroup=kill -9 $PPID';
    await expect(hg(path, deadly, 'pull', '-q', source.url)).rejects.toThrow('Command failed');
    for (const lock of ['.hg/store/lock', '.hg/wlock']) {
      await rm(join(path, lock), { force: true });
      await symlink('elsewhere:1', join(path, lock));
    }
    const remote = remoteOf('hg', source.url);
    expect(await backend.tip(path)).toEqual(before);
    await expect(backend.pull(path, remote, neverAborted)).rejects.toMatchObject({ kind: 'failed' });
    await backend.recover(path);
    await backend.pull(path, remote, neverAborted);
    expect(await backend.tip(path)).toMatchObject({ rawId });
    await hg(path, 'verify', '-q');
  });

  it('leaves a repository without locks and transactions as it is', async () => {
    const path = bench.freshPath();
    await backend.init(path, 'uuid');
    await backend.recover(path);
    expect(await backend.tip(path)).toBeNull();
  });
});

it('init makes a repository of the same format as the installed Mercurial', async () => {
  const [path, own] = [bench.freshPath(), bench.freshPath()];
  await backend.init(path, 'uuid');
  await hg('/', 'init', own);
  for (const name of ['requires', 'store/requires', '00changelog.i']) {
    expect(await readFile(join(path, '.hg', name), 'utf8')).toBe(await readFile(join(own, '.hg', name), 'utf8'));
  }
});

it('C4 hooks, extensions and aliases of a repository’s own configuration do not run', async () => {
  const source = await makeSource(bench, 'hg');
  await commitHg(source.directory, { a: '1' });
  const path = await imported(source);
  const canary = join(bench.directory, 'canary');
  await writeFile(join(bench.directory, 'evil.py'), `open(${JSON.stringify(canary)}, 'w').write('extension')\n`);
  const run = `!touch ${canary}`;
  const hooks = [
    'pre-log',
    'pre-files',
    'pre-pull',
    'incoming',
    'changegroup',
    'post-log',
    'prechangegroup',
    'txnclose',
  ];
  const hostile = [
    '[extensions]',
    `evil = ${bench.directory}/evil.py`,
    '[alias]',
    ...['log', 'files', 'pull', 'recover'].map((name) => `${name} = ${run}`),
    '[hooks]',
    ...hooks.map((hook) => `${hook} = touch ${canary}`),
    '[ui]',
    `ssh = touch ${canary};`,
  ].join('\n');
  await writeFile(join(path, '.hg/hgrc'), hostile);
  await writeFile(join(path, '.hg/hgrc-not-shared'), hostile);
  const rawId = await commitHg(source.directory, { a: '2' });
  await backend.pull(path, remoteOf('hg', source.url), neverAborted);
  expect(await backend.tip(path)).toMatchObject({ rawId });
  expect(await backend.nodes(path, rawId, '')).toHaveLength(1);
  await expect(backend.pull(path, remoteOf('hg', 'ssh://127.0.0.1:1/x'), neverAborted)).rejects.toThrow('hg');
  await expect(readFile(canary)).rejects.toThrow('ENOENT');
});
