import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VcsContent } from '../content.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { feedGit, fastImport } from '../testing/feed-git.ts';
import { binary, commit, file, makeOddHistory, oddNames, script } from '../testing/odd-git.ts';
import { commandLines } from '../testing/processes.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const unknown = { kind: 'unknown-path' };
const isSubmodule = { kind: 'is-submodule' };
let bench: Workbench;
let content: VcsContent;
let path = '';
let root = '';
let merge = '';

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.git;
  path = await bare();
  ({ root, merge } = await makeOddHistory(path));
});
afterAll(() => bench.close());

async function bare(): Promise<string> {
  const repository = bench.freshPath();
  await bench.backends.git.init(repository, 'uuid');
  return repository;
}

async function imported(changes: readonly string[]): Promise<{ repository: string; rawId: string }> {
  const repository = await bare();
  await fastImport(repository, commit({ mark: 1, parents: [] }, changes));
  return { repository, rawId: await git(repository, 'rev-parse', 'main') };
}

/** Names as octal escapes of fast-import, and their texts. */
const anyNames = [
  [String.raw`caf\351`, 'caf\ufffdE9'],
  [String.raw`caf\303\251`, 'café'],
  [String.raw`\357\277\275`, '\ufffdEF\ufffdBF\ufffdBD'],
  [String.raw`\012`, '\n'],
  [String.raw`line\012feed\351`, 'line\nfeed\ufffdE9'],
  [String.raw`ends\015`, 'ends\r'],
  [String.raw`tab\011`, 'tab\t'],
  [String.raw`\001\177\033`, '\u0001\u007f\u001b'],
  ['%E9', '%E9'],
  ['%25', '%25'],
  ['a?b#c', 'a?b#c'],
] as const;

const escapedFile = (escaped: string) => `M 100755 inline "${escaped}"\ndata 1\nx\n`;

async function read(name: string, rawId = root): Promise<string> {
  return (await collectBytes((await content.openFile(path, rawId, name)).content)).toString();
}

async function processesOn(repository: string): Promise<string[]> {
  return [...(await commandLines()).values()].filter((line) => line.includes(`--git-dir=${repository}\0`));
}

describe('directory', () => {
  it('lists the root: directories first, then all other entries by name', async () => {
    const entries = await content.directory(path, root, '');
    const plain = [...oddNames, 'no newline', 'long', 'removed', 'script', 'binary'];
    const sizes = new Map(entries.map(({ name, size }) => [name, size]));
    expect(entries[0]).toEqual({ name: 'dir', kind: 'dir', size: null });
    expect(entries.find(({ name }) => name === 'link')).toEqual({ name: 'link', kind: 'symlink', size: null });
    expect(entries.find(({ name }) => name === 'sub')).toEqual({
      ...{ name: 'sub', kind: 'submodule', size: null },
      submodule: { commit: '1'.repeat(40), address: null },
    });
    expect(entries.slice(1).map(({ name }) => name)).toEqual([...plain, 'link', 'sub', '\ufffdFF.bin'].sort());
    for (const name of oddNames) expect(sizes.get(name)).toBe(Buffer.byteLength(`of ${name}\n`));
    expect(sizes.get('\ufffdFF.bin')).toBe(9);
  });

  it.each(oddNames)('D5 lists dir/%s', async (name) => {
    expect(await content.directory(path, root, `dir/${name}`)).toEqual([{ name, kind: 'file', size: 1 }]);
  });

  it('orders directories by name, not by name and slash as git does', async () => {
    const { repository, rawId } = await imported(
      ['a/x', 'a-b/x', 'a.b', 'Z', 'é', '\u{1f480}', '\uffe8'].map((n) => file(n, '')),
    );
    const names = (await content.directory(repository, rawId, '')).map(({ name }) => name);
    expect(names).toEqual(['a', 'a-b', 'Z', 'a.b', 'é', '\uffe8', '\u{1f480}']);
  });

  it.each<string>([
    ...['nix', 'dir/nix', 'long', 'long/x', 'link', 'sub/x', 'dir/..', '../x'],
    ...['\ufffdFF.bin', '\ufffd.bin', 'dir\nx'],
  ])('D5 %j is no directory', async (name) => {
    await expect(content.directory(path, root, name)).rejects.toMatchObject(unknown);
  });

  it('D9 a path of 70 000 letters is no directory', async () => {
    await expect(content.directory(path, root, 'x'.repeat(70_000))).rejects.toMatchObject(unknown);
  });

  it('D9 refuses to list more than 100 000 entries, and still opens a file among them', async () => {
    const repository = await bare();
    const blob = await feedGit(repository, ['hash-object', '-w', '--stdin'], 'star');
    const submodules = Array.from({ length: 100_000 }, (_, number) => `160000 commit ${'1'.repeat(40)}\t${number}\n`);
    const tree = await feedGit(repository, ['mktree'], [...submodules, `100755 blob ${blob}\t:(top)x\n`].join(''));
    const rawId = await git(repository, 'commit-tree', '-m', 'x', tree);
    await expect(content.directory(repository, rawId, '')).rejects.toMatchObject({ kind: 'too-large' });
    expect(await content.openFile(repository, rawId, ':(top)x')).toMatchObject({
      size: 4,
      executable: true,
      symlink: false,
    });
    await expect(content.openFile(repository, rawId, '1')).rejects.toMatchObject(isSubmodule);
  });
});

describe('addresses of submodules', () => {
  const submoduleAt = `M 160000 ${'1'.repeat(40)} `;
  const addressesIn = async (directory: string, ...changes: string[]) => {
    const { repository, rawId } = await imported(changes);
    const entries = await content.directory(repository, rawId, directory);
    return Object.fromEntries(entries.flatMap(({ name, submodule }) => (submodule ? [[name, submodule.address]] : [])));
  };
  const section = (name: string, ...lines: string[]) => `[submodule "${name}"]\n\t${lines.join('\n\t')}\n`;

  it('stand in .gitmodules', async () => {
    const text = section('x', 'path = a b', 'url = ../odd') + section('y', 'url = https://git.example/y', 'path = d/y');
    const changes = [file('.gitmodules', text), ...['"a b"', 'd/y', 'z'].map((path) => `${submoduleAt}${path}\n`)];
    expect(await addressesIn('', ...changes)).toEqual({ 'a b': '../odd', z: null });
    expect(await addressesIn('d', ...changes)).toEqual({ y: 'https://git.example/y' });
  });

  const plain = section('y', 'path = y', 'url = x');
  it.each<[string, string[]]>([
    ['there is none', []],
    ['is a link', [file('.gitmodules', plain, '120000')]],
    ['is a directory', [file('.gitmodules/x', plain)]],
    ['is large', [file('.gitmodules', plain + '# comment\n'.repeat(30_000))]],
  ])('D9 are unknown when .gitmodules %s', async (_, changes) => {
    expect(await addressesIn('', ...changes, `${submoduleAt}y\n`)).toEqual({ y: null });
  });
});

describe('openFile', () => {
  it.each(oddNames)('D5 opens %s, in the root and in nested directories', async (name) => {
    expect(await read(name)).toBe(`of ${name}\n`);
    expect(await read(`dir/${name}/${name}`)).toBe('x');
  });

  it('D9 opens and lists names of any bytes', async () => {
    const { repository, rawId } = await imported(
      anyNames.flatMap(([escaped]) => [escapedFile(`${escaped}/${escaped}`)]),
    );
    const names = anyNames.map(([, name]) => name);
    const listed = await content.directory(repository, rawId, '');
    expect(listed.map(({ name }) => name).sort()).toEqual([...names].sort());
    for (const name of names) {
      expect(await content.directory(repository, rawId, name)).toEqual([
        { name, kind: 'file', size: 1, executable: true },
      ]);
      const nodes = await bench.backends.git.nodes(repository, rawId, name);
      expect(nodes).toEqual([{ name: `${name}/${name}`, type: 'file' }]);
      const { content: bytes, executable } = await content.openFile(repository, rawId, `${name}/${name}`);
      expect([(await collectBytes(bytes)).toString(), executable]).toEqual(['x', true]);
      for (const none of [name, `${name}/x`, `${name}/${name}/x`, `${name} `]) {
        await expect(content.openFile(repository, rawId, none), none).rejects.toMatchObject(unknown);
      }
      await expect(content.directory(repository, rawId, `${name}/${name}`), name).rejects.toMatchObject(unknown);
    }
  });

  it('returns the size, whether the file is executable, and whether it is a symbolic link', async () => {
    const facts = async (name: string, rawId: string) => {
      const { content: bytes, ...facts } = await content.openFile(path, rawId, name);
      return { ...facts, text: (await collectBytes(bytes)).toString() };
    };
    const plain = { executable: false, symlink: false };
    expect(await facts('binary', root)).toEqual({ ...plain, size: binary.length, text: binary });
    expect(await facts('script', root)).toEqual({ ...plain, executable: true, size: script.length, text: script });
    expect(await facts('script', merge)).toEqual({ ...plain, size: script.length, text: script });
    expect(await facts('link', root)).toEqual({ ...plain, symlink: true, size: 9, text: 'dir/-dash' });
    expect(await facts('link', merge)).toEqual({ ...plain, size: 2, text: 'x\n' });
  });

  it.each<string>([
    '',
    'nix',
    'dir',
    'dir/nix',
    'long/x',
    'link/x',
    'sub/x',
    '../long',
    '\ufffd.bin',
    'long\n',
    'a\0b',
  ])('D5 %j is no file', async (name) => {
    await expect(content.openFile(path, root, name)).rejects.toMatchObject(unknown);
    expect(await read('removed')).toBe('x\n');
  });

  it('a submodule is neither file nor directory, even if the repository has its commit', async () => {
    const repository = await bare();
    await fastImport(repository, commit({ mark: 1, parents: [] }, [file('a', '1')]));
    const here = await git(repository, 'rev-parse', 'main');
    await fastImport(repository, commit({ mark: 2, parents: [] }, [`M 160000 ${here} sub\n`]));
    const rawId = await git(repository, 'rev-parse', 'main');
    for (const [name, error] of [
      ['sub', isSubmodule],
      ['sub/a', unknown],
    ] as const) {
      await expect(content.openFile(repository, rawId, name)).rejects.toMatchObject(error);
      await expect(content.directory(repository, rawId, name)).rejects.toMatchObject(error);
      await expect(bench.backends.git.nodes(repository, rawId, name)).rejects.toMatchObject(error);
    }
  });
});

describe('a file of 20 MB', () => {
  const size = 20_000_000;
  let big: { repository: string; rawId: string };
  beforeAll(async () => {
    big = await imported([file('big', 'x'.repeat(size)), file('small', 's')]);
  });

  it('is read whole, by a process of its own that ends afterwards', async () => {
    await content.openFile(big.repository, big.rawId, 'small');
    const kept = await processesOn(big.repository);
    const opened = await content.openFile(big.repository, big.rawId, 'big');
    expect(opened.size).toBe(size);
    expect(await processesOn(big.repository)).toEqual(kept);
    expect((await collectBytes(opened.content)).equals(Buffer.alloc(size, 'x'))).toBe(true);
    await vi.waitFor(async () => expect(await processesOn(big.repository)).toEqual(kept), { timeout: 20_000 });
  });

  it('D12 leaves no process when the reader stops', async () => {
    await content.openFile(big.repository, big.rawId, 'small');
    const kept = await processesOn(big.repository);
    for await (const chunk of (await content.openFile(big.repository, big.rawId, 'big')).content) {
      expect(chunk.length).toBeLessThanOrEqual(65_536);
      expect(await processesOn(big.repository)).toHaveLength(kept.length + 1);
      break;
    }
    await vi.waitFor(async () => expect(await processesOn(big.repository)).toEqual(kept), { timeout: 20_000 });
  });
});
