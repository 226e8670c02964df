import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { feedGit, fastImport } from '../testing/feed-git.ts';
import { commitGit, git } from '../testing/tools.ts';
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
  backend = bench.backends.git;
});
afterAll(() => bench.close());

async function imported({ url }: SourceRepository): Promise<string> {
  const path = bench.freshPath();
  await backend.importFrom(path, 'uuid', remoteOf('git', url), neverAborted);
  return path;
}

async function bare(): Promise<string> {
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  return path;
}

const refs = (path: string) => git(path, 'for-each-ref', '--format=%(refname)');

describe('nodes', () => {
  it.each(['', 'dir'])('C10 fails below %j when a directory there is damaged', async (root) => {
    const { directory } = await makeSource(bench, 'git');
    const rawId = await commitGit(directory, { 'dir/deep/file': '1', file: '2' });
    const path = join(directory, '.git');
    const id = await git(directory, 'rev-parse', `${rawId}:dir/deep`);
    expect(await backend.nodes(path, rawId, root)).not.toEqual([]);
    await rm(join(path, 'objects', id.slice(0, 2), id.slice(2)));
    await expect(backend.nodes(path, rawId, root)).rejects.toMatchObject({ kind: 'failed' });
  });
});

describe('revisions', () => {
  const ids = { first: '', second: '', third: '' };
  let path = '';
  beforeAll(async () => {
    path = await bare();
    const at = (name: string, seconds: number, mark: number, from?: number) =>
      `commit ${name}\nmark :${mark}\ncommitter A <a@example.com> ${seconds} +0000\ndata 1\n${mark}\n` +
      `${from ? `from :${from}\n` : ''}M 100644 inline f\ndata 1\n${mark}\n\n`;
    // Neither the commits nor their refs are in the order of dates.
    const commits = [at('refs/heads/main', 2_000, 2), at('refs/heads/late', 3_000, 3), at('refs/heads/z', 1_000, 1)];
    await fastImport(path, commits.join(''));
    const [first = '', second = '', third = ''] = (await git(path, 'rev-parse', 'z', 'main', 'late')).split('\n');
    Object.assign(ids, { first, second, third });
    await git(path, 'tag', '-a', '-m', 'x', 'v1', second);
    await git(path, 'tag', 'main', third);
    await git(path, 'tag', 'blob', `${second}:f`);
    await git(path, 'update-ref', 'refs/heads/12', second);
    for (const name of [first, 'tip', 'abcd', 'a.b', 'é', '-x', '@', 'refs/heads/main']) {
      await git(path, 'update-ref', `refs/heads/${name}`, third);
    }
    await git(path, 'update-ref', `refs/tags/${first}`, third);
  });

  it.each(['', 'tip', 'HEAD', 'head', -1, '-1', null])('%j is the newest commit of all refs', async (revision) => {
    expect(await backend.resolveRevision(path, revision)).toBe(ids.third);
    expect(await backend.tip(path)).toMatchObject({ rawId: ids.third, revision: 2 });
  });

  it('a number resolves to the commit at that position by date over all refs', async () => {
    const found = await Promise.all([0, '1', '00000000002'].map((number) => backend.resolveRevision(path, number)));
    expect(found).toEqual([ids.first, ids.second, ids.third]);
    for (const number of [3, '12', 99_999_999_999]) {
      await expect(backend.resolveRevision(path, number)).rejects.toMatchObject({ kind: 'unknown-revision' });
    }
  });

  it('a branch precedes a tag, full ref names resolve, and a tag object resolves to its commit', async () => {
    const ofSecond = ['main', 'v1', 'refs/heads/main', 'refs/heads/12'];
    const alike = ['refs/heads/main', 'tip', ids.first].map((name) => `refs/heads/${name}`);
    const plain = ['abcd', 'é', 'a.b', '-x', '@'];
    const ofThird = [...plain, 'refs/heads/-x', 'refs/tags/main', `refs/tags/${ids.first}`, ...alike];
    const expected = [...ofSecond.map((name) => [name, ids.second]), ...ofThird.map((name) => [name, ids.third])];
    for (const [name = '', rawId] of expected) expect(await backend.resolveRevision(path, name), name).toBe(rawId);
  });

  it('D4 forty hexadecimal digits resolve as a commit’s id and not as a name', async () => {
    expect(await backend.resolveRevision(path, ids.first)).toBe(ids.first);
    expect(await backend.resolveRevision(path, ids.first.toUpperCase())).toBe(ids.first);
    await git(path, 'update-ref', `refs/heads/${'e'.repeat(40)}`, ids.first);
    await expect(backend.resolveRevision(path, 'e'.repeat(40))).rejects.toMatchObject({ kind: 'unknown-revision' });
  });

  it('a unique prefix of a commit’s id resolves; ids of other objects and revision syntax do not', async () => {
    expect(await backend.resolveRevision(path, ids.second.slice(0, 20))).toBe(ids.second);
    expect(await backend.resolveRevision(path, ids.second.slice(0, 39).toUpperCase())).toBe(ids.second);
    const tree = await git(path, 'rev-parse', `${ids.second}^{tree}`);
    const tag = await git(path, 'rev-parse', 'v1');
    for (const id of [tree, tag, 'blob', 'z^', 'z~0', 'late:f', tree.slice(0, 30), tag.slice(0, 30)]) {
      await expect(backend.resolveRevision(path, id), id).rejects.toMatchObject({ kind: 'unknown-revision' });
    }
  });

  it('D5 names resolve literally, without what git would guess from them', async () => {
    const short = ids.first.slice(0, 8);
    await git(path, 'update-ref', 'refs/heads/refs/heads/inner', ids.second);
    await git(path, 'update-ref', `refs/heads/real-g${short}`, ids.second);
    for (const name of [`real-g${short}`, 'refs/heads/inner']) {
      expect(await backend.resolveRevision(path, name), name).toBe(ids.second);
    }
    for (const name of [`x-g${short}`, `v1-3-g${ids.first}`, `refs/tags/x-g${short}`, 'inner']) {
      await expect(backend.resolveRevision(path, name), name).rejects.toMatchObject({ kind: 'unknown-revision' });
    }
  });

  it('a prefix that two commits share does not resolve', async () => {
    const crowded = await bare();
    const lines = Array.from({ length: 600 }, (_, index) => {
      const message = `${index}`;
      return `commit refs/heads/b${index}\ncommitter A <a@example.com> 1 +0000\ndata ${message.length}\n${message}\n`;
    });
    await fastImport(crowded, lines.join(''));
    const all = (await git(crowded, 'rev-list', '--all')).split('\n');
    const prefixes = all.map((id) => id.slice(0, 4));
    const sharing = prefixes.find((one) => /[a-f]/.test(one) && prefixes.indexOf(one) !== prefixes.lastIndexOf(one));
    await expect(backend.resolveRevision(crowded, sharing ?? '')).rejects.toMatchObject({ kind: 'unknown-revision' });
    const alone = all.find(
      (id) => /[a-f]/.test(id.slice(0, 4)) && prefixes.filter((one) => id.startsWith(one)).length === 1,
    );
    expect(await backend.resolveRevision(crowded, (alone ?? '').slice(0, 4))).toBe(alone);
  });

  it('a prefix that a commit and a large file share resolves to the commit', async () => {
    const prefix = ids.second.slice(0, 4);
    const begun = createHash('sha1').update(`blob 17000008\0`).update(Buffer.alloc(17_000_000));
    const digest = (ending: string) => begun.copy().update(ending).digest('hex');
    let ending = '00000000';
    while (!digest(ending).startsWith(prefix)) ending = String(Number(ending) + 1).padStart(8, '0');
    const content = Buffer.concat([Buffer.alloc(17_000_000), Buffer.from(ending)]);
    expect(await feedGit(path, ['hash-object', '-w', '--stdin'], content)).toMatch(new RegExp(`^${prefix}`));
    await expect(git(path, 'rev-parse', '--verify', prefix)).rejects.toThrow('ambiguous');
    const name = /^\d+$/.test(prefix) ? ids.second.slice(0, 12) : prefix;
    expect(await backend.resolveRevision(path, name)).toBe(ids.second);
  });
});

describe('nodes', () => {
  async function rawIdOf(path: string, ...entries: string[]): Promise<string> {
    const list = Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
    const tree = await feedGit(path, ['mktree', '-z', '--missing'], list);
    return git(path, 'commit-tree', '-m', 'x', tree);
  }

  it('leaves submodules out', async () => {
    const path = await bare();
    const blob = await git(path, 'hash-object', '-w', '/dev/null');
    const rawId = await rawIdOf(path, `160000 commit ${'1'.repeat(40)}\tsub`, `100755 blob ${blob}\trun`);
    expect(await backend.nodes(path, rawId, '')).toEqual([{ name: 'run', type: 'file' }]);
    await expect(backend.nodes(path, rawId, 'sub')).rejects.toMatchObject({ kind: 'is-submodule' });
  });

  it('D9 lists odd names, and those that are not UTF-8 by their bytes', async () => {
    const path = await bare();
    const blob = await git(path, 'hash-object', '-w', '/dev/null');
    const names = ['a\nb', 'a\tb', '"q"', 'c\xff', ' ', ':x', '-x', '..'];
    const rawId = await rawIdOf(path, ...names.map((name) => `100644 blob ${blob}\t${name}`));
    expect((await backend.nodes(path, rawId, '')).map(({ name }) => name)).toEqual([
      ...[' ', '"q"', '-x', '..', ':x', 'a\tb', 'a\nb', 'c\ufffdFF'],
    ]);
  });

  it('lists an empty directory and one whose name looks like an option', async () => {
    const path = await bare();
    const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    await git(path, 'hash-object', '-w', '-t', 'tree', '/dev/null');
    const rawId = await rawIdOf(path, `040000 tree ${empty}\t--output=x`, `040000 tree ${empty}\tb`);
    expect(await backend.nodes(path, rawId, '/')).toEqual([
      { name: '--output=x', type: 'dir' },
      { name: 'b', type: 'dir' },
    ]);
    expect(await backend.nodes(path, rawId, '--output=x')).toEqual([]);
  });

  it('D9 lists a tree of 2 000 levels', async () => {
    const path = await bare();
    await fastImport(
      path,
      `commit refs/heads/x\ncommitter A <a@b> 1 +0000\ndata 0\nM 644 inline ${'d/'.repeat(2_000)}f\ndata 0\n`,
    );
    const nodes = await backend.nodes(path, await backend.resolveRevision(path, 'x'), '');
    expect(nodes).toHaveLength(2_001);
  });
});

describe('C9 recover', () => {
  it('removes stale locks and unfinished packs, but no ref', async () => {
    const source = await makeSource(bench, 'git');
    await commitGit(source.directory, { a: '1' });
    await git(source.directory, 'branch', 'pack/tmp_x');
    const path = await imported(source);
    await mkdir(join(path, 'objects/pack'), { recursive: true });
    const left = ['packed-refs.lock', 'HEAD.lock', 'config.lock', 'refs/heads/main.lock', 'objects/pack/tmp_pack_x'];
    for (const name of left) await writeFile(join(path, name), '');
    await backend.recover(path);
    for (const name of left) await expect(readFile(join(path, name)), name).rejects.toThrow('ENOENT');
    const rawId = await commitGit(source.directory, { a: '2' });
    expect(await refs(path)).toBe('refs/heads/main\nrefs/heads/pack/tmp_x');
    await backend.pull(path, remoteOf('git', source.url), neverAborted);
    expect(await backend.resolveRevision(path, 'main')).toBe(rawId);
  });
});

it('C4 hooks and programs named in a repository’s own configuration do not run', async () => {
  const source = await makeSource(bench, 'git');
  await commitGit(source.directory, { a: '1' });
  const path = await imported(source);
  const canary = join(bench.directory, 'canary');
  const program = join(bench.directory, 'program');
  await writeFile(program, `#!/bin/sh\necho "$0 $@" >> ${canary}\n`, { mode: 0o755 });
  await mkdir(join(path, 'hooks'), { recursive: true });
  for (const hook of ['reference-transaction', 'post-update', 'pre-auto-gc']) {
    await writeFile(join(path, 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${canary}\n`, { mode: 0o755 });
  }
  for (const key of ['core.fsmonitor', 'core.sshCommand', 'core.gitProxy', 'core.askPass', 'credential.helper']) {
    await git(path, 'config', key, program);
  }
  await git(path, 'config', 'core.hooksPath', join(path, 'hooks'));
  await git(path, 'config', 'alias.ls-tree', `!${program}`);
  const rawId = await commitGit(source.directory, { a: '2' });
  await backend.pull(path, remoteOf('git', source.url), neverAborted);
  expect(await backend.tip(path)).toMatchObject({ rawId });
  expect(await backend.nodes(path, rawId, '')).toHaveLength(1);
  await expect(backend.pull(path, remoteOf('git', 'git://127.0.0.1:1/x'), neverAborted)).rejects.toThrow('git');
  await expect(backend.pull(path, remoteOf('git', 'ssh://127.0.0.1:1/x'), neverAborted)).rejects.toThrow('git');
  await expect(readFile(canary, 'utf8')).rejects.toThrow('ENOENT');
});
