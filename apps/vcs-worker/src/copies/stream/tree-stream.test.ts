import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HandedFiles } from './handed-files.ts';
import { handedFileBytes, PieceReader } from './frames.ts';
import { streamTree, type StreamedTree } from './stream-tree.ts';
import { writeTree, type WrittenTree } from './write-tree.ts';

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-tree-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [source, target] = [join(directory, 'source'), join(directory, 'target')];
  await mkdir(source);
  const { signal } = new AbortController();
  const copy = (sent: Partial<StreamedTree> = {}, written: Partial<WrittenTree> = {}) => {
    const tree = {
      path: source,
      isTransient: () => false,
      changedSinceMs: null,
      again: new Set<string>(),
      linkSources: [],
    };
    const arriving = { path: target, linkSources: [], requireSpace: async () => {}, signal };
    return writeTree(new PieceReader(streamTree({ ...tree, ...sent })), { ...arriving, ...written });
  };
  return { directory, source, target, copy };
}

const textOf = (path: string) => readFile(path, 'utf8');

it('files of any size arrive, with their modes and times', async () => {
  const { source, target, copy } = await setUp();
  await mkdir(join(source, 'a/b'), { recursive: true });
  const sizes = [0, 1, 65_536, 65_537, 600_000, 1_048_576];
  for (const size of sizes) await writeFile(join(source, 'a/b', String(size)), Buffer.alloc(size, size % 251));
  await chmod(join(source, 'a/b/1'), 0o440);
  await utimes(join(source, 'a/b/1'), 1_000_000_000.123456, 1_000_000_000.123456);
  expect(await copy()).toEqual({
    files: 6,
    bytes: sizes.reduce((sum, size) => sum + size),
    linked: 0,
    lacking: [],
    lacksMore: false,
  });
  for (const size of sizes) {
    const arrived = await readFile(join(target, 'a/b', String(size)));
    expect(arrived.equals(Buffer.alloc(size, size % 251))).toBe(true);
  }
  const { mode, mtimeMs } = await lstat(join(target, 'a/b/1'));
  expect([mode & 0o777, Math.round(mtimeMs * 1_000)]).toEqual([0o440, 1_000_000_000_123_456]);
});

it('large files that are handed over arrive, with their modes and times', async () => {
  const { source, target, copy } = await setUp();
  const handed = new HandedFiles();
  const reported = vi.spyOn(handed, 'report');
  for (const name of ['1', '2', '3']) await writeFile(join(source, name), Buffer.alloc(handedFileBytes + 1, name));
  await writeFile(join(source, 'small'), 'x');
  await chmod(join(source, '1'), 0o440);
  await utimes(join(source, '1'), 1_000_000_000.123456, 1_000_000_000.123456);
  expect(await copy({ handed }, { handed })).toMatchObject({ files: 4, bytes: 3 * (handedFileBytes + 1) + 1 });
  for (const name of ['1', '2', '3'])
    expect((await readFile(join(target, name))).equals(Buffer.alloc(handedFileBytes + 1, name))).toBe(true);
  expect(await textOf(join(target, 'small'))).toBe('x');
  const { mode, mtimeMs } = await lstat(join(target, '1'));
  expect([mode & 0o777, Math.round(mtimeMs * 1_000)]).toEqual([0o440, 1_000_000_000_123_456]);
  expect(reported.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0)).toBe(3 * (handedFileBytes + 1));
});

it('no large file that is handed over is begun without the space for all of it', async () => {
  const { source, copy } = await setUp();
  const handed = new HandedFiles();
  await writeFile(join(source, '1'), Buffer.alloc(handedFileBytes));
  const full = new Error('full');
  const requireSpace = async (bytes: number) => {
    if (bytes === handedFileBytes) throw full;
  };
  await expect(copy({ handed }, { handed, requireSpace })).rejects.toBe(full);
});

it('a tree of many directories and files arrives', async () => {
  const { source, target, copy } = await setUp();
  for (let at = 0; at < 40; at += 1) {
    await mkdir(join(source, `d${at % 7}/e${at}`), { recursive: true });
    for (let file = 0; file < 10; file += 1)
      await writeFile(join(source, `d${at % 7}/e${at}/f${file}`), `${at} ${file}`);
  }
  expect(await copy()).toMatchObject({ files: 400, lacking: [] });
  expect((await readdir(target, { recursive: true })).toSorted()).toEqual(
    (await readdir(source, { recursive: true })).toSorted(),
  );
});

it('what has not changed stays, what has is replaced, and what has gone is removed', async () => {
  const { source, target, copy } = await setUp();
  await mkdir(join(source, 'gone'));
  for (const name of ['same', 'changed', 'gone/x']) await writeFile(join(source, name), name);
  await copy();
  const before = await lstat(join(target, 'same'));
  await rm(join(source, 'gone'), { recursive: true });
  await writeFile(join(source, 'changed'), 'anew');
  expect(await copy({ changedSinceMs: Infinity, again: new Set(['changed']) })).toMatchObject({
    files: 1,
    lacking: [],
  });
  expect((await readdir(target)).toSorted()).toEqual(['changed', 'same']);
  expect(await textOf(join(target, 'changed'))).toBe('anew');
  expect((await lstat(join(target, 'same'))).ino).toBe(before.ino);
  const { ctimeMs } = await lstat(join(source, 'changed'));
  expect((await copy({ changedSinceMs: ctimeMs })).files).toBeGreaterThanOrEqual(1);
  expect(await copy({ changedSinceMs: ctimeMs + 60_000 })).toMatchObject({ files: 0, lacking: [] });
});

it('a file that the target lacks, or has otherwise, is named and sent again', async () => {
  const { source, target, copy } = await setUp();
  for (const name of ['missing', 'longer', 'same']) await writeFile(join(source, name), name);
  await copy();
  await rm(join(target, 'missing'));
  await appendFile(join(target, 'longer'), 'x');
  const { lacking } = await copy({ changedSinceMs: Infinity });
  expect(lacking.toSorted()).toEqual(['longer', 'missing']);
  expect(await copy({ changedSinceMs: Infinity, again: new Set(lacking) })).toMatchObject({ files: 2, lacking: [] });
  expect(await textOf(join(target, 'longer'))).toBe('longer');
});

it('hard links within the tree are made again', async () => {
  const { source, target, copy } = await setUp();
  await mkdir(join(source, 'd'));
  await writeFile(join(source, 'd/one'), 'content');
  await link(join(source, 'd/one'), join(source, 'other'));
  expect(await copy()).toMatchObject({ files: 1, linked: 1 });
  const inodes = await Promise.all(['d/one', 'other'].map(async (name) => (await lstat(join(target, name))).ino));
  expect(new Set(inodes).size).toBe(1);
});

it('files that are shared are linked, unless they are not the same at the target', async () => {
  const { directory, source, copy } = await setUp();
  const [root, arrivedRoot] = [join(directory, 'root'), join(directory, 'arrived-root')];
  await mkdir(root);
  for (const name of ['same', 'touched']) {
    await writeFile(join(root, name), name);
    await link(join(root, name), join(source, name));
  }
  await copy({ path: root }, { path: arrivedRoot });
  await utimes(join(arrivedRoot, 'touched'), 1, 1);
  const linkSources = [{ path: root, storagePath: 'unused' }];
  const shared = await copy({ linkSources }, { linkSources: [arrivedRoot] });
  expect(shared).toMatchObject({ files: 0, linked: 1, lacking: ['touched'] });
});

it('a source with another thing than files and directories fails by name, unless it is left out', async () => {
  const { source, target, copy } = await setUp();
  await symlink('/etc', join(source, 'elsewhere'));
  await expect(copy()).rejects.toThrow('`elsewhere` in the repository is neither a plain file nor a directory');
  await copy({ isTransient: (path) => path === 'elsewhere' });
  expect(await readdir(target)).toEqual([]);
});

it('the copy ends when there is no space, or when it is aborted', async () => {
  const { source, copy } = await setUp();
  await writeFile(join(source, 'x'), 'x');
  const requireSpace = () => Promise.reject(new Error('full'));
  await expect(copy({}, { requireSpace })).rejects.toThrow('full');
  await expect(copy({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
});
