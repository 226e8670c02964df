import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { notAdoptable } from './not-adoptable.ts';

const bytesMax = 1024 * 1024;
// Opening a pipe would wait for a writer.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of a small plain file; null when there is none. */
export async function readPlainFile(path: string): Promise<string | null> {
  let handle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > bytesMax) throw notAdoptable(`\`${basename(path)}\` is no small plain file`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
