import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BrokenStreamError, headerBytesMax, PieceReader } from './frames.ts';
import { writeTree } from './write-tree.ts';

type Frame = Readonly<Record<string, unknown>>;

const root = { kind: 'root', mode: 0o755 };
const open = { kind: 'open', directory: 0 };
const end = { kind: 'end' };
const file = (name: string, size = 0) => ({ kind: 'file', name, mode: 0o644, mtime: 0, size });
const directory = (name: string) => ({ kind: 'directory', name, mode: 0o755 });

/** Encodes a header without checking it. */
function encode(header: Frame | string): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header), 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}

async function setUp() {
  const parent = await mkdtemp(join(tmpdir(), 'trunkline-hostile-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const path = join(parent, 'tree');
  const write = (...frames: readonly (Frame | string | Buffer)[]) => {
    const pieces = frames.map((frame) => (Buffer.isBuffer(frame) ? frame : encode(frame)));
    const reader = new PieceReader(
      (async function* () {
        yield* pieces;
      })(),
    );
    return writeTree(reader, {
      path,
      linkSources: [],
      requireSpace: async () => {},
      signal: new AbortController().signal,
    });
  };
  return { parent, path, write };
}

describe('C3 a stream', () => {
  it.each(['', '.', '..', '../outside', '/outside', 'a/b', 'a\0b', 'x'.repeat(256)])(
    'with an entry of the name %j is refused',
    async (name) => {
      const { parent, write } = await setUp();
      for (const entry of [file(name), directory(name)]) {
        await expect(write(root, open, entry, end)).rejects.toThrow(BrokenStreamError);
      }
      const link = { kind: 'link', name: 'x', directory: 0, target: name, size: 0, mtime: 0 };
      await expect(write(root, open, link, end)).rejects.toThrow(BrokenStreamError);
      expect(await readdir(parent)).toEqual(['tree']);
    },
  );

  it('writes through no symbolic link that stands at a path, and replaces no target of one', async () => {
    const { parent, path, write } = await setUp();
    const outside = join(parent, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), 'untouched');
    await mkdir(path);
    await symlink(outside, join(path, 'directory'));
    await symlink(join(outside, 'file'), join(path, 'link'));
    await expect(
      write(root, open, directory('directory'), { ...open, directory: 1 }, file('new'), end),
    ).rejects.toThrow('a link stands in the path of a directory');
    await write(root, open, file('link', 3), Buffer.from('new'), end);
    expect((await lstat(join(path, 'link'))).isFile()).toBe(true);
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('untouched');
    expect(await readdir(outside)).toEqual(['file']);
  });

  it.each<[string, readonly (Frame | string | Buffer)[]]>([
    ['that begins twice', [root, root]],
    ['without a beginning', [open, file('x'), end]],
    ['of a file in no directory', [root, file('x'), end]],
    ['of an entry twice', [root, open, file('x'), file('x'), end]],
    ['that opens a directory twice', [root, open, open, end]],
    ['that opens an unknown directory', [root, { ...open, directory: 1 }, end]],
    ['that opens not every directory', [root, open, directory('x'), end]],
    [
      'of a link to an unknown directory',
      [root, open, { kind: 'link', name: 'x', directory: 7, target: 'y', size: 0, mtime: 0 }],
    ],
    ['of a link to itself', [root, open, { kind: 'link', name: 'x', directory: 0, target: 'x', size: 0, mtime: 0 }]],
    [
      'that shares with an unknown repository',
      [root, open, { kind: 'shared', name: 'x', source: 0, size: 0, mtime: 0 }],
    ],
    ['of another kind', [root, open, { kind: 'symlink', name: 'x' }]],
    ['with a mode that sets the user', [root, open, { ...file('x'), mode: 0o4755 }]],
    ['with a negative size', [root, open, file('x', -1)]],
    ['with a size that is no number', [root, open, { ...file('x'), size: 'many' }]],
    ['that is no JSON', [root, open, '{']],
    ['with a header that is too long', [root, Buffer.from([0, 0, 0xff, 0xff]), Buffer.alloc(headerBytesMax * 8)]],
    ['that ends in a header', [root, Buffer.from([0, 0, 0, 9, 1])]],
    ['that ends in a file', [root, open, file('x', 10), Buffer.from('short')]],
    ['that ends in a large file', [root, open, file('x', 1_000_000), Buffer.alloc(900_000)]],
    ['without an end', [root, open, file('x')]],
    ['with bytes after its end', [root, open, end, Buffer.from('more')]],
  ])('%s is refused', async (_what, frames) => {
    const { write } = await setUp();
    await expect(write(...frames)).rejects.toThrow(BrokenStreamError);
  });

  it('of directories that are too deep is refused', async () => {
    const { write } = await setUp();
    const frames = Array.from({ length: 200 }, (_, at) => [{ ...open, directory: at }, directory('d')]).flat();
    await expect(write(root, ...frames, end)).rejects.toThrow('too many directories in each other');
  });
});
