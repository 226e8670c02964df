import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { canLock, lockFile } from './lock-file.ts';

if (!canLock) console.warn('/usr/bin/flock, of util-linux, is missing');

/** Opens only the path: the kernel refuses locks on such a file, as a file system without locks does. */
const pathOnly = 0o10000000;

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'trunkline-lock-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

it.runIf(canLock)('C7 a file that another one keeps locked is not locked, and is afterwards', async () => {
  const [first, second] = [await open(join(path, 'lock'), 'a'), await open(join(path, 'lock'), 'a')];
  expect(await lockFile(first, 0)).toBe(true);
  expect(await lockFile(second, 0)).toBe(false);
  await first.close();
  expect(await lockFile(second, 0)).toBe(true);
  await second.close();
});

it.runIf(canLock && process.platform === 'linux')('a lock that the system refuses is an error', async () => {
  const file = await open(path, pathOnly);
  await expect(lockFile(file, 3)).rejects.toThrow('flock ended with');
  await file.close();
});
