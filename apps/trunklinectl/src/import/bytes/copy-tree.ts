import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, mkdir, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isLeftOut, type FoundTree } from './find-tree.ts';

/** Copies a repository's metadata to a new directory, and syncs it; file systems that can share the blocks do so. */
export async function copyTree({ path, below }: FoundTree, target: string): Promise<void> {
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    await mkdir(join(target, below, directory), { recursive: true });
    for await (const entry of await opendir(join(path, directory))) {
      const relative = join(directory, entry.name);
      if (isLeftOut(relative, below)) continue;
      if (entry.isDirectory()) pending.push(relative);
      // Others have come since the tree was looked through.
      else if (!entry.isFile()) throw new Error(`\`${relative}\` is neither a plain file nor a directory`);
      else await copyFile(join(path, relative), join(target, below, relative), constants.COPYFILE_FICLONE);
    }
  }
  await promisify(execFile)('sync', ['-f', '--', target]);
}
