import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeSyncedTree } from './write-synced-tree.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-tree-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

/** Counts the calls of fsync. */
async function countSyncs() {
  const handle = await open(directory, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  return vi.spyOn(prototype, 'sync');
}

it('writes a tree, and syncs its files and the directories that contain something', async () => {
  const syncs = await countSyncs();
  const root = join(directory, 'made');
  await writeSyncedTree(root, {
    directories: ['empty', 'full', 'full/deep'],
    files: [
      { path: 'text', content: 'one\n' },
      { path: 'full/bytes', content: Buffer.from([0, 255]) },
    ],
  });
  expect((await readdir(root, { recursive: true })).toSorted()).toEqual([
    ...['empty', 'full', 'full/bytes', 'full/deep', 'text'],
  ]);
  expect(await readFile(join(root, 'text'), 'utf8')).toBe('one\n');
  expect(await readFile(join(root, 'full/bytes'))).toEqual(Buffer.from([0, 255]));
  // Two files, the root and `full`.
  expect(syncs).toHaveBeenCalledTimes(4);
});

it('replaces nothing that exists', async () => {
  await expect(writeSyncedTree(directory, { directories: [], files: [] })).rejects.toMatchObject({ code: 'EEXIST' });
});
