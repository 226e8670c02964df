import { chmod, chown, lstat, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markerName } from '@trunkline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RefusedError } from '../../errors.ts';
import { findStorageOwner } from './storage-owner.ts';

const isRoot = process.geteuid?.() === 0;
console.warn(
  isRoot
    ? 'A storage into which its user may not write is not tested: root may write into all of them.'
    : 'What root gives to the workers is not tested: these tests run as another user.',
);
const workers = 60_802;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-owner-'));
  await mkdir(join(root, '@staging'));
  await writeFile(join(root, markerName), 'mine\n');
});
afterEach(() => rm(root, { recursive: true, force: true }));

it.runIf(isRoot)('gives what root makes to the owner of the marker, and nothing that was there before', async () => {
  await chown(join(root, markerName), workers, workers);
  const owner = await findStorageOwner(root);
  expect(await owner.makeDirectory(join(root, '@staging/one/.hg'))).toBe(join(root, '@staging/one'));
  await writeFile(join(root, '@staging/one/.hg/file'), '');
  await owner.give(join(root, '@staging/one/.hg/file'));
  const ownersOf = (...paths: string[]) =>
    Promise.all(paths.map(async (path) => [(await lstat(join(root, path))).uid, (await lstat(join(root, path))).gid]));
  const given = [workers, workers];
  expect(await ownersOf('@staging/one', '@staging/one/.hg', '@staging/one/.hg/file')).toEqual([given, given, given]);
  expect(await ownersOf('@staging')).toEqual([[0, 0]]);
  expect(await owner.makeDirectory(join(root, '@staging/one'))).toBeUndefined();
});

it.runIf(!isRoot)('refuses a storage into which its user may not write', async () => {
  await chmod(join(root, '@staging'), 0o500);
  await expect(findStorageOwner(root)).rejects.toThrow(RefusedError);
});
