import { lstat, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { notAdoptable } from './not-adoptable.ts';

const entriesMax = 5_000_000;

/**
 * Refuses (VcsError `not-adoptable`) a tree that holds anything but plain files and directories: a link would lead git
 * or hg elsewhere. Paths that `isNeverOpened` accepts may be anything.
 */
export async function requirePlainTree(root: string, isNeverOpened: (path: string) => boolean): Promise<void> {
  if (!(await lstat(root)).isDirectory()) throw notAdoptable(`\`${basename(root)}\` is no directory`);
  let entries = 0;
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
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
