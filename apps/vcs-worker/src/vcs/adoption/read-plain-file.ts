import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { notAdoptable } from './not-adoptable.ts';

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
