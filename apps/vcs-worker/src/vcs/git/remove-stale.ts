import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';

/** No reference ends in `.lock`, but one may well be called `tmp_x`, or `x.keep`. */
async function isStale(entry: Dirent, objects: string): Promise<boolean> {
  if (entry.name.endsWith('.lock')) return true;
  if (!entry.parentPath.startsWith(objects)) return false;
  if (entry.name.startsWith('tmp_')) return true;
  // An operator's own marks say something else.
  return (
    entry.name.endsWith('.keep') &&
    /^(fetch|receive)-pack /.test(await readFile(join(entry.parentPath, entry.name), 'latin1'))
  );
}

/** Removes locks and unfinished packs. Git changes references one by one: nothing of it is ever half-done. */
export async function removeStale(path: string): Promise<void> {
  const objects = join(path, 'objects');
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && (await isStale(entry, objects)))
      await rm(join(entry.parentPath, entry.name), { force: true });
  }
}
