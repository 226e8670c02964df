import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { measureSize } from './measure-size.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-size-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('adds up the files of a directory and of those below it', async () => {
  const empty = await measureSize(root);
  await mkdir(join(root, 'deep'));
  // Random, since a file system may compress, and flushed, since it may allocate late.
  await writeFile(join(root, 'deep/file'), randomBytes(500_000), { flush: true });
  const filled = await measureSize(root);
  expect(Number(filled) - Number(empty)).toBeGreaterThan(450_000);
});

it('knows no size of a directory that is not there', async () => {
  expect(await measureSize(join(root, 'missing'))).toBeNull();
});
