import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linkTree } from './link-tree.ts';

let directory: string;
let asked: number[];

beforeEach(async () => {
  asked = [];
  directory = await mkdtemp(join(tmpdir(), 'trunkline-links-'));
  await mkdir(join(directory, 'source', 'below'), { recursive: true });
  for (const name of ['one', 'below/two']) await writeFile(join(directory, 'source', name), name);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const link = (copies: boolean, requireSpace = async (bytes: number) => void asked.push(bytes)) =>
  linkTree(join(directory, 'source'), join(directory, 'target'), {
    isTransient: () => false,
    copies,
    requireSpace,
    signal: new AbortController().signal,
  });
const inodeOf = async (path: string) => (await stat(join(directory, path))).ino;

it('links files, which take no space', async () => {
  await link(false);
  expect(await inodeOf('target/below/two')).toBe(await inodeOf('source/below/two'));
  expect(asked).toEqual([]);
});

it('C8 looks for space before files are copied, and copies none without', async () => {
  const full = link(true, () => Promise.reject(new Error('full')));
  await expect(full).rejects.toThrow('full');
  await expect(stat(join(directory, 'target/one'))).rejects.toThrow('ENOENT');
  await rm(join(directory, 'target'), { recursive: true });
  await link(true);
  expect(await inodeOf('target/one')).not.toBe(await inodeOf('source/one'));
  expect(asked).toEqual([64 * 1024 * 1024]);
});
