import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanDirectories } from './scan-directories.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-scan-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Creates directories, whose paths end in `/`, and empty files. */
async function make(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path.endsWith('/') ? path : dirname(path)), { recursive: true });
    if (!path.endsWith('/')) await writeFile(join(root, path), '');
  }
}

const scan = () => scanDirectories(root, new Set(['@ours']));
const found = async () => (await scan()).found.map(({ type, storagePath }) => `${type} ${storagePath}`);
const skipped = async () => (await scan()).skipped.map(({ path }) => path).toSorted();

describe('scanDirectories', () => {
  it('finds repositories by their entries, in the order of their paths', async () => {
    await make('b/.hg/', 'a/x/.git/', 'c/HEAD', 'c/objects/', 'c/refs/', 'd/HEAD', 'd/refs/', 'file');
    expect(await found()).toEqual(['git a/x/.git', 'hg b', 'git c']);
    expect(await skipped()).toEqual([]);
  });

  it('does not enter repositories, hidden and deleted directories, and directories of the service', async () => {
    await make('a/.hg/', 'a/b/.hg/', '.c/d/.hg/', 'rm__20260101_1__x/d/.hg/', '@ours/d/.hg/', 'e/@ours/.hg/');
    expect(await found()).toEqual(['hg a', 'hg e/@ours']);
  });

  it('never reports the root itself as a repository', async () => {
    await make('.hg/', 'a/.hg/');
    expect(await found()).toEqual(['hg a']);
  });

  it('C3 reports directories that point elsewhere, and follows no link', async () => {
    await make('real/.hg/', 'a/.git', 'b/', 'c/', 'd/HEAD', 'd/objects/');
    await symlink(join(root, 'real'), join(root, 'link'));
    await symlink(join(root, 'real/.hg'), join(root, 'b/.hg'));
    await symlink(root, join(root, 'c/root'));
    await symlink(root, join(root, 'd/refs'));
    expect(await found()).toEqual(['git d', 'hg real']);
    expect(await skipped()).toEqual(['a', 'b']);
  });

  it('C3 stops at the depth limit', async () => {
    const deep = Array.from({ length: 70 }, () => 'd').join('/');
    await make(`${deep}/.hg/`);
    expect(await found()).toEqual([]);
    expect(await skipped()).toHaveLength(1);
  });

  it('finds all of more directories than it reads at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index + 10}`);
    await make(...names.map((name) => `group/${name}/deep/.hg/`));
    expect(await found()).toEqual(names.map((name) => `hg group/${name}/deep`));
  });
});
