import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pushDirectories, type PushDirectories } from './push-directories.ts';

const id = (digit: number) => `0a1b2c3d-0000-4000-8000-00000000000${digit}`;

let staging: string;
let pushes: PushDirectories;

beforeEach(async () => {
  staging = await mkdtemp(join(tmpdir(), 'trunkline-pushes-'));
  pushes = pushDirectories(staging);
});
afterEach(() => rm(staging, { recursive: true, force: true }));

const all = async (ids: readonly string[]) => ids;
const none = async () => [];

it('F5 C6 the directory of a push stays while its process lives', async () => {
  const first = await pushes.create(id(1));
  await mkdir(join(first.path, 'objects'));
  await pushes.clear(all);
  expect(await readdir(staging)).toEqual([`${id(1)}.push`]);
  await first.remove();
  expect(await readdir(staging)).toEqual([]);
});

it('F5 C6 what a dead process has left goes, unless its operation runs', async () => {
  await (await pushes.create(id(1))).leave();
  await (await pushes.create(id(2))).leave();
  await pushes.clear(none);
  expect(await readdir(staging)).toHaveLength(2);
  await pushes.clear(async ([one = '']) => (one === id(1) ? [one] : []));
  expect(await readdir(staging)).toEqual([`${id(2)}.push`]);
});

it('a directory without its lock file is that of a process that died at once', async () => {
  await mkdir(join(staging, `${id(3)}.push`));
  await mkdir(join(staging, `${id(3)}.1`));
  await pushes.clear(all);
  expect(await readdir(staging)).toEqual([`${id(3)}.1`]);
});

it('a sweep beside the creation leaves a directory that is whole', async () => {
  for (let at = 1; at <= 9; at += 1) {
    const [made] = await Promise.all([pushes.create(id(at)), pushes.clear(all), pushes.clear(all)]);
    expect(await readdir(made.path)).toEqual(['lock']);
    await Promise.all([made.remove(), pushes.clear(all)]);
    expect(await readdir(staging)).toEqual([]);
  }
});

it('F5 a directory that cannot be locked is an error, and none that another process keeps is awaited for long', async () => {
  const failing = async () => Promise.reject(new Error('no locks available'));
  const refused = pushDirectories(staging, { canLock: true, lockFile: failing });
  await expect(refused.create(id(1))).rejects.toThrow('no locks available');
  const kept = pushDirectories(staging, { canLock: true, lockFile: async () => false });
  await expect(kept.create(id(2))).rejects.toThrow('another process keeps');
});

it('F5 a sweep goes on after a directory that cannot be cleared, and tells', async () => {
  for (const at of [1, 2, 3]) await (await pushes.create(id(at))).leave();
  let first: string | undefined;
  const failFirst = async ([one = '']: readonly string[]) => {
    first ??= one;
    if (one === first) throw new Error('the database is away');
    return [one];
  };
  await expect(pushes.clear(failFirst)).rejects.toThrow('1 directories of pushes could not be cleared');
  expect(await readdir(staging)).toEqual([`${first}.push`]);
});
