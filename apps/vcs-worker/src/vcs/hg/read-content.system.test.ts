import { readdir, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VcsContent } from '../content.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { binary, commitAll, freshHg, makeOddHistory, oddNames, type OddHistory } from '../testing/odd-hg.ts';
import { commandLines } from '../testing/processes.ts';
import { hg, writeFiles } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const unknown = { kind: 'unknown-path' };
let bench: Workbench;
let content: VcsContent;
let path = '';
let ids: OddHistory;

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.hg;
  path = await freshHg(bench.freshPath());
  ids = await makeOddHistory(path);
}, 60_000);
afterAll(() => bench.close());

const fresh = () => freshHg(bench.freshPath());

async function read(name: string, rawId = ids.root): Promise<string> {
  return (await collectBytes((await content.openFile(path, rawId, name)).content)).toString();
}

/** Makes a changeset with this line in .hgsub and a .hgsubstate that pins these paths. */
async function withSubrepositories(listed: string, paths: readonly string[]) {
  const repository = await fresh();
  await writeFiles(repository, { file: '1', 'dir/file': '12' });
  await commitAll(repository, 'first');
  const added = (name: string, lines: readonly string[]) =>
    `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
  const pins = paths.map((pinned) => `${'1'.repeat(40)} ${pinned}`);
  const patch = bench.freshPath();
  // `hg commit` would read both files; `import --bypass` does not.
  await writeFile(patch, added('.hgsub', [listed]) + added('.hgsubstate', pins));
  await hg(repository, 'import', '--bypass', '-q', '-m', 'x', '-u', 'Ann', patch);
  return { repository, rawId: await hg(repository, 'log', '-r', 'tip', '-T', '{node}') };
}

describe('directory', () => {
  it('lists directories first, then all other entries by name', async () => {
    const entries = await content.directory(path, ids.root, '');
    expect(entries.slice(0, 2)).toEqual(['dir', 'listfile:'].map((name) => ({ name, kind: 'dir', size: null })));
    const kinds = new Map(entries.map(({ name, kind, size }) => [name, { kind, size }]));
    for (const name of oddNames) expect(kinds.get(name)).toEqual({ kind: 'file', size: Buffer.byteLength(name) + 1 });
    expect(kinds.get('link')).toEqual({ kind: 'symlink', size: null });
    expect(kinds.get('binary')).toEqual({ kind: 'file', size: binary.length });
    expect(kinds.get('caf\ufffdE9')).toEqual({ kind: 'file', size: 7 });
    expect(kinds.get('nothing')).toEqual({ kind: 'file', size: 0 });
    const names = entries.slice(2).map(({ name }) => name);
    expect(names).toEqual(names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });

  it('lists the entries of one directory only, also in a later changeset', async () => {
    const names = (await content.directory(path, ids.root, 'dir')).map(({ name }) => name);
    expect(names[0]).toBe('deep');
    expect(new Set(names)).toEqual(new Set([...oddNames, 'deep']));
    expect(await content.directory(path, ids.merge, 'dir/deep')).toEqual([{ name: 'er', kind: 'dir', size: null }]);
    expect(await content.directory(path, ids.merge, 'dir')).toContainEqual({ name: 'moved', kind: 'file', size: 6 });
  });

  it('orders directories by name without a slash, and leaves out the sizes of very many files', async () => {
    const repository = await fresh();
    const all = ['a/x', 'a-b/x', 'a.b', 'Z', 'é', '\u{1f480}', '\uffe8'];
    await writeFiles(repository, Object.fromEntries(all.map((name) => [name, ''])));
    const few = await commitAll(repository, 'few');
    const names = (await content.directory(repository, few, '')).map(({ name }) => name);
    expect(names).toEqual(['a', 'a-b', 'Z', 'a.b', 'é', '\uffe8', '\u{1f480}']);
    await writeFiles(
      repository,
      Object.fromEntries(Array.from({ length: 1_001 }, (_, number) => [`many/${number}`, 'x'])),
    );
    const many = await content.directory(repository, await commitAll(repository, 'many'), 'many');
    expect(many).toHaveLength(1_001);
    expect(many[0]).toEqual({ name: '0', kind: 'file', size: null });
  });

  it.each([
    'nix',
    'dir/nix',
    'long',
    'long/x',
    'link',
    'dir/..',
    '../x',
    'caf\ufffdE9',
    'caf\ufffd',
    'dir\nx',
    'a\0b',
    '*',
    're:.*',
  ])('D2 refuses %j, which is no directory', async (name) => {
    await expect(content.directory(path, ids.root, name)).rejects.toMatchObject(unknown);
    expect((await content.directory(path, ids.root, 'dir/deep')).length).toBe(1);
  });

  it('is empty for a changeset without files', async () => {
    const repository = await fresh();
    await writeFile(`${repository}/file`, '');
    await commitAll(repository, 'one');
    await rm(`${repository}/file`);
    expect(await content.directory(repository, await commitAll(repository, 'none'), '')).toEqual([]);
  });

  it.each(['vendor/sub = x', 'broken'])('lists pinned subrepositories and reads none, .hgsub: %s', async (listed) => {
    const pinned = ['sub', 'vendor/sub', '../out', '/abs', 'file'];
    const { repository, rawId } = await withSubrepositories(listed, pinned);
    const names = async (directory: string) =>
      (await content.directory(repository, rawId, directory)).map(({ name, kind }) => `${kind} ${name}`);
    const files = ['file .hgsub', 'file .hgsubstate', 'file file'];
    expect(await names('')).toEqual(['dir dir', 'dir vendor', ...files, 'submodule sub']);
    expect(await names('vendor')).toEqual(['submodule sub']);
    expect(await names('dir')).toEqual(['file file']);
    for (const pin of ['sub', 'vendor/sub']) {
      await expect(content.openFile(repository, rawId, pin), pin).rejects.toMatchObject({ kind: 'is-submodule' });
      await expect(content.directory(repository, rawId, pin), pin).rejects.toMatchObject({ kind: 'is-submodule' });
    }
    for (const none of ['sub/x', 'vendor', 'nix']) {
      await expect(content.openFile(repository, rawId, none), none).rejects.toMatchObject(unknown);
    }
    const pins = (await content.directory(repository, rawId, 'vendor')).map(({ submodule }) => submodule);
    expect(pins).toEqual([{ commit: '1'.repeat(40), address: listed === 'broken' ? null : 'x' }]);
    expect((await content.openFile(repository, rawId, 'dir/file')).size).toBe(2);
    expect(await readdir(repository)).toEqual(['.hg', 'dir', 'file']);
  });
});

describe('openFile', () => {
  it.each(oddNames)('D1 D2 opens %s, also in a directory', async (name) => {
    expect(await read(name)).toBe(`${name}\n`);
    expect(await read(`dir/${name}`)).toBe(`in ${name}\n`);
    expect(await read('listfile:/etc/passwd')).toBe('mine');
    expect(await read('caf\ufffdE9')).toBe('coffee\n');
  });

  it('returns size, flags and content of a file', async () => {
    const facts = async (name: string, rawId: string) => {
      const { content: bytes, ...rest } = await content.openFile(path, rawId, name);
      return { ...rest, bytes: await collectBytes(bytes) };
    };
    const plain = { executable: false, symlink: false };
    const script = Buffer.from('#!/bin/sh\n');
    expect(await facts('binary', ids.root)).toEqual({ ...plain, size: binary.length, bytes: binary });
    expect(await facts('nothing', ids.root)).toEqual({ ...plain, size: 0, bytes: Buffer.alloc(0) });
    expect(await facts('escaped', ids.root)).toEqual({ ...plain, size: 5, bytes: Buffer.from('\u0001\nabc') });
    expect(await facts('dir/moved', ids.change)).toMatchObject({ size: 6, bytes: Buffer.from('1\n2\n3\n') });
    expect(await facts('script', ids.root)).toEqual({ ...plain, executable: true, size: 10, bytes: script });
    expect(await facts('script', ids.merge)).toEqual({ ...plain, size: 10, bytes: script });
    expect(await facts('link', ids.root)).toEqual({ ...plain, symlink: true, size: 3, bytes: Buffer.from('a b') });
  });

  const refused = ['', 'nix', 'dir', 'dir/nix', 'long/x', 'link/x', '../long', 'caf\ufffd', 'long\n', 'a\0b'];
  it.each([...refused, 'listfile:/etc/hosts', 're:lon.', 'glob:long', '*', '/etc/passwd', '.hg/hgrc', '\ud800'])(
    'D1 D2 refuses %j, which is no file',
    async (name) => {
      await expect(content.openFile(path, ids.root, name)).rejects.toMatchObject(unknown);
      expect(await read('removed')).toBe('1\n2\n');
    },
  );

  it('refuses a directory with very many files below it', async () => {
    const repository = await fresh();
    await writeFiles(
      repository,
      Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`d/${'x'.repeat(40)}${n}`, ''])),
    );
    const rawId = await commitAll(repository, 'many');
    await expect(content.openFile(repository, rawId, 'd')).rejects.toMatchObject(unknown);
  });
});

describe('a file of 20 MB', () => {
  const size = 20_000_000;
  let repository = '';
  let rawId = '';
  /** Returns the process that forks, once it has started, and those that it has forked. */
  const running = async () =>
    [...(await commandLines()).values()].filter((line) => line.includes(`\0trunkline-serve\0${bench.directory}/`));
  beforeAll(async () => {
    repository = await fresh();
    await writeFile(`${repository}/big`, Buffer.alloc(size, 'x'));
    rawId = await commitAll(repository, 'big');
  });

  it('is streamed whole by a process that starts when reading begins', async () => {
    const opened = await content.openFile(repository, rawId, 'big');
    expect(opened.size).toBe(size);
    expect((await running()).length).toBeLessThanOrEqual(1);
    expect((await collectBytes(opened.content)).equals(Buffer.alloc(size, 'x'))).toBe(true);
    await vi.waitFor(async () => expect(await running()).toHaveLength(1), { timeout: 20_000 });
  });

  it('D12 leaves no process when its reader stops', async () => {
    for await (const chunk of (await content.openFile(repository, rawId, 'big')).content) {
      expect(chunk.length).toBeLessThanOrEqual(65_536);
      expect(await running()).toHaveLength(2);
      break;
    }
    await vi.waitFor(async () => expect(await running()).toHaveLength(1), { timeout: 20_000 });
  });
});
