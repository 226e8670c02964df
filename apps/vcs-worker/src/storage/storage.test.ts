import { existsSync, readlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ForeignStorageError } from './storage-errors.ts';
import { openStorage, storagePathOf, type Storage } from './storage.ts';

const uuid = '0a1b2c3d-0000-4000-8000-000000000000';
const path = storagePathOf(uuid);
const [first, second] = ['1'.repeat(36), '2'.repeat(36)] as const;
const { signal } = new AbortController();
const all = async (ids: string[]) => ids;

let root: string;
let storage: Storage;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'trunkline-storage-')));
  await writeFile(join(root, '.trunkline-storage'), 'mine\n');
  storage = await openStorage({ root, id: 'mine', name: 'default' });
});
afterEach(() => {
  vi.restoreAllMocks();
  return rm(root, { recursive: true, force: true });
});

/** Collects the paths that are synced, relative to the root, which itself is an empty text. */
async function watchSyncs(): Promise<string[]> {
  const handle = await open(root, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { sync } = prototype;
  const synced: string[] = [];
  vi.spyOn(prototype, 'sync').mockImplementation(function (this: typeof handle) {
    synced.push(relative(root, readlinkSync(`/proc/self/fd/${this.fd}`)));
    return sync.call(this);
  });
  return synced;
}

async function stage(operation: string, attempt: number): Promise<string> {
  const staging = storage.staging(operation, attempt);
  await mkdir(join(staging, 'deep'), { recursive: true });
  await writeFile(join(staging, 'deep/file'), 'x');
  return staging;
}

const isRoot = process.geteuid?.() === 0;
if (isRoot) console.warn('Directories that a worker may not read are not tested: root may read all of them.');

describe('openStorage', () => {
  it('publishes a staged repository, and moves a repository to the trash', async () => {
    await storage.publish(await stage(first, 1), path, signal);
    expect(existsSync(join(root, path, 'deep/file'))).toBe(true);
    await storage.trash(path, second, 1_000);
    expect(await storage.exists(path)).toBe(false);
    expect(await readdir(join(root, '@trash'))).toHaveLength(1);
    await storage.emptyTrash(999, all);
    expect(await readdir(join(root, '@trash'))).toHaveLength(1);
    await storage.emptyTrash(1_000, async () => []);
    expect(await readdir(join(root, '@trash'))).toHaveLength(1);
    await storage.emptyTrash(1_000, all);
    expect(await readdir(join(root, '@trash'))).toHaveLength(0);
  });

  it('publishes what is synced already without reading the marker', async () => {
    const staging = await stage(first, 1);
    await rm(join(root, '.trunkline-storage'));
    await storage.publishSynced(staging, path, signal);
    expect(existsSync(join(root, path, 'deep/file'))).toBe(true);
  });

  it('C6 syncs the directories above a repository once, also where another process has made them', async () => {
    await mkdir(join(root, dirname(path)));
    const synced = await watchSyncs();
    await storage.publishSynced(await stage(first, 1), path, signal);
    expect(synced).toEqual(['@repos', dirname(path)]);
    await storage.publishSynced(await stage(second, 1), `${path}.2`, signal);
    expect(synced).toEqual(['@repos', dirname(path), dirname(path)]);
    await storage.publishSynced(await stage(second, 2), storagePathOf('ff'), signal);
    expect(synced.slice(3)).toEqual(['@repos', '@repos/ff']);
  });

  it('C6 syncs what an attempt has renamed that was killed before its sync', async () => {
    const staging = await stage(first, 1);
    await mkdir(join(root, dirname(path)));
    await rename(staging, join(root, path));
    const synced = await watchSyncs();
    expect(await storage.isPublished(path)).toBe(true);
    expect(synced).toEqual(['@repos', dirname(path)]);
    expect(await storage.isPublished(storagePathOf('ff'))).toBe(false);
    expect(synced).toHaveLength(2);
  });

  it('C6 syncs its own directories when it is opened', async () => {
    const synced = await watchSyncs();
    await openStorage({ root, id: 'mine', name: 'default' });
    expect(synced).toEqual(['']);
  });

  it('restores a repository that an operation moved to the trash, once', async () => {
    await storage.publish(await stage(first, 1), path, signal);
    await storage.trash(path, second, 1_000);
    expect([await storage.trashedAt(first), await storage.trashedAt(second)]).toEqual([null, 1_000]);
    expect(await storage.restore(path, first)).toBe(false);
    expect(await storage.exists(path)).toBe(false);
    // The directory above may have been removed meanwhile.
    await rm(dirname(join(root, path)), { recursive: true });
    expect(await storage.restore(path, second)).toBe(true);
    expect(await storage.restore(path, second)).toBe(false);
    expect(existsSync(join(root, path, 'deep/file'))).toBe(true);
  });

  it('C6 syncs both directories of a move whose attempt may have ended before, also where one is gone', async () => {
    await storage.publish(await stage(first, 1), path, signal);
    const synced = await watchSyncs();
    await storage.syncMoved(path);
    expect(synced).toEqual(['@trash', dirname(path)]);
    await storage.syncMoved('gone/repository');
    expect(synced).toEqual(['@trash', dirname(path), '@trash']);
  });

  it('does not report its own probe file as foreign', async () => {
    await writeFile(join(root, '@staging/.probe'), 'probe\n');
    await writeFile(join(root, '@staging/mine'), '');
    expect((await storage.survey()).foreign).toEqual(['@staging/mine']);
  });

  it.skipIf(isRoot)('surveys what it may read, and names the directories that it may not', async () => {
    const prefix = dirname(path);
    await mkdir(join(root, path), { recursive: true });
    for (const closed of [path, prefix]) {
      await chmod(join(root, closed), 0);
      const { inaccessible, repositories } = await storage.survey();
      const problem = expect.stringMatching(/^belongs to user \d+ with mode 0, and workers run as user \d+$/);
      expect(inaccessible).toEqual([{ path: closed, problem }]);
      expect(repositories).toEqual(closed === path ? [path] : []);
      await chmod(join(root, closed), 0o700);
    }
    expect((await storage.survey()).inaccessible).toEqual([]);
  });

  it('a tree of many files is published whole', async () => {
    const staging = await stage(first, 1);
    await Promise.all(Array.from({ length: 100 }, (_, index) => writeFile(join(staging, `f${index}`), '')));
    await storage.publish(staging, path, signal);
    expect(await readdir(join(root, path))).toHaveLength(101);
  });

  it('clears every attempt of an operation, and no other', async () => {
    await stage(first, 1);
    await stage(first, 2);
    await stage(second, 1);
    await mkdir(join(root, '@staging/lost+found'));
    await storage.clearStaging(first);
    expect(await storage.stagedOperations()).toEqual([second]);
    await storage.emptyTrash(0, all);
    expect(await readdir(join(root, '@trash'))).toEqual([]);
  });

  it('C7 a worker that paused before it cleared earlier attempts leaves later attempts, and cannot publish a cleared one', async () => {
    const early = await stage(first, 1);
    await stage(first, 2);
    await stage(first, 3);
    await storage.fenceAttempts(first, 3);
    await storage.fenceAttempts(first, 2);
    expect(await readdir(join(root, '@staging'))).toEqual([`${first}.3`]);
    await expect(storage.publish(early, path, signal)).rejects.toThrow('ENOENT');
    expect(await storage.exists(path)).toBe(false);
  });

  it('C7 clears what a worker that paused has made anew of an attempt that was cleared', async () => {
    await stage(first, 1);
    await storage.fenceAttempts(first, 2);
    await stage(first, 1);
    await storage.clearStaging(first);
    expect(await readdir(join(root, '@staging'))).toEqual([]);
    await storage.emptyTrash(0, all);
    expect(await readdir(join(root, '@trash'))).toEqual([]);
  });

  it('C3 a path through a symbolic link is refused', async () => {
    await mkdir(join(root, 'real/deep'), { recursive: true });
    await symlink('real', join(root, 'link'));
    await symlink('deep', join(root, 'real/link'));
    expect(await storage.plainPath('real/deep')).toBe(join(root, 'real/deep'));
    for (const path of ['link', 'link/deep', 'real/link']) {
      await expect(storage.plainPath(path)).rejects.toThrow('symbolic link');
    }
  });

  it('nothing exists below a file', async () => {
    await writeFile(join(root, 'file'), '');
    expect(await storage.exists('file/below')).toBe(false);
  });

  it('C5 without its marker nothing is published, deleted or restored', async () => {
    await storage.publish(await stage(first, 1), path, signal);
    const staged = await stage(first, 2);
    await storage.publish(await stage(first, 3), storagePathOf('ee'), signal);
    await storage.trash(storagePathOf('ee'), first, 1_000);
    await rm(join(root, '.trunkline-storage'));
    await expect(storage.restore(storagePathOf('ee'), first)).rejects.toThrow(ForeignStorageError);
    await expect(storage.trash(path, second, 1_000)).rejects.toThrow(ForeignStorageError);
    await expect(storage.publish(staged, storagePathOf('ff'), signal)).rejects.toThrow(ForeignStorageError);
    await expect(storage.plainPath(path)).rejects.toThrow(ForeignStorageError);
    await expect(storage.scan()).rejects.toThrow(ForeignStorageError);
    await expect(storage.clearStaging(first)).rejects.toThrow(ForeignStorageError);
    await expect(storage.fenceAttempts(first, 2)).rejects.toThrow(ForeignStorageError);
    await expect(storage.stagedOperations()).rejects.toThrow(ForeignStorageError);
    await expect(storage.emptyTrash(1_000, all)).rejects.toThrow(ForeignStorageError);
    expect(existsSync(dirname(join(root, path)))).toBe(true);
    // Nor is a repository reported as missing.
    await expect(storage.exists(storagePathOf('ff'))).rejects.toThrow(ForeignStorageError);
  });
});
