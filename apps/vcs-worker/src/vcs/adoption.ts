import { constants } from 'node:fs';
import { link, lstat, open, opendir, rename, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../has-code.ts';
import { accessProblem } from '../storage/access-problem.ts';
import { syncDirectory } from '../storage/durable.ts';
import { VcsError } from './vcs-error.ts';

/** Returns the error for a repository that cannot be adopted as it is. The reason is for the log. */
export function notAdoptable(reason: string): VcsError {
  return new VcsError('not-adoptable', reason);
}

const entriesMax = 5_000_000;

/**
 * Refuses (VcsError `not-adoptable`) a tree with a directory that is not the workers', or that holds anything but plain
 * files and directories: a link would lead git or hg elsewhere. Paths that `isNeverOpened` accepts may be anything.
 */
export async function requirePlainTree(root: string, isNeverOpened: (path: string) => boolean): Promise<void> {
  if (!(await lstat(root)).isDirectory()) throw notAdoptable(`\`${basename(root)}\` is no directory`);
  let entries = 0;
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const problem = await accessProblem(join(root, directory));
    if (problem !== undefined) throw notAdoptable(`its directory \`${directory || basename(root)}\` ${problem}`);
    for await (const entry of await opendir(join(root, directory))) {
      entries += 1;
      if (entries > entriesMax) throw notAdoptable(`it has more than ${entriesMax} files`);
      const path = join(directory, entry.name);
      if (isNeverOpened(path)) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (!entry.isFile()) throw notAdoptable(`\`${path}\` is neither a plain file nor a directory`);
    }
  }
}

const bytesMax = 1024 * 1024;
// Without O_NONBLOCK, opening a named pipe would wait for a writer.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file, passes it to `read`, closes it and returns the result; returns null when the file does not exist. */
async function withFile<T>(path: string, read: (handle: FileHandle) => Promise<T>): Promise<T | null> {
  let handle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    return await read(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a plain file of at most 1 MiB; null when there is none. Throws VcsError `not-adoptable` for a larger file or
 * another kind of file, except that a symbolic link fails with the system's ELOOP.
 */
export async function readPlainFile(path: string): Promise<string | null> {
  return withFile(path, async (handle) => {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > bytesMax) throw notAdoptable(`\`${basename(path)}\` is no small plain file`);
    return handle.readFile('utf8');
  });
}

export interface Beginning {
  readonly bytes: Buffer;
  /** Whether `bytes` is the whole file. */
  readonly isWhole: boolean;
}

/** Reads the first `length` bytes of a plain file of any size; null when it does not exist or is not plain. */
export async function readBeginning(path: string, length: number): Promise<Beginning | null> {
  return withFile(path, async (handle) => {
    if (!(await handle.stat()).isFile()) return null;
    // One more byte shows whether the file is longer.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length + 1), 0, length + 1, 0);
    return { bytes: buffer.subarray(0, Math.min(bytesRead, length)), isWhole: bytesRead <= length };
  });
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Returns the path at which a repository's original configuration is kept. */
export function originalConfigurationPath(path: string): string {
  return `${path}.before-adoption`;
}

/** Atomically replaces a configuration file with Trunkline's and keeps the original beside it. May be repeated. */
export async function replaceConfiguration(path: string, text: string): Promise<void> {
  try {
    await link(path, originalConfigurationPath(path));
  } catch (error) {
    // An earlier try has kept the original (EEXIST), or there is no configuration to keep (ENOENT).
    if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
  }
  const fresh = `${path}.adopting`;
  const handle = await open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, path);
  await syncDirectory(dirname(path));
}
