import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { notAdoptable } from './not-adoptable.ts';

const bytesMax = 1024 * 1024;
// Opening a pipe would wait for a writer.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What `read` answers of a file, which it need not close; null when there is none. */
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

/** The text of a small plain file; null when there is none. */
export async function readPlainFile(path: string): Promise<string | null> {
  return withFile(path, async (handle) => {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > bytesMax) throw notAdoptable(`\`${basename(path)}\` is no small plain file`);
    return handle.readFile('utf8');
  });
}

export interface Beginning {
  readonly bytes: Buffer;
  /** Whether the file ends there. */
  readonly isWhole: boolean;
}

/** The first bytes of a plain file of any size; null when there is none. */
export async function readBeginning(path: string, length: number): Promise<Beginning | null> {
  return withFile(path, async (handle) => {
    if (!(await handle.stat()).isFile()) return null;
    // One byte more tells whether there is more.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length + 1), 0, length + 1, 0);
    return { bytes: buffer.subarray(0, Math.min(bytesRead, length)), isWhole: bytesRead <= length };
  });
}
