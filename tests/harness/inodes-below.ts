import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the inode of each file below a directory. */
export async function inodesBelow(root: string): Promise<number[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).ino));
}
