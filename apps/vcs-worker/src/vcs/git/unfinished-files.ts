import type { Dirent } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeLockName } from '../process/acquire-write-lock.ts';

/** A ref cannot be named `x.lock`, but it can be named `tmp_x`: that is unfinished below `objects` alone. */
export function isTransientInGit(path: string): boolean {
  if (path === writeLockName || path === newPackedRefs || path.endsWith('.lock')) return true;
  if (path.startsWith('objects/tmp_objdir-')) return true;
  return path.startsWith('objects/') && /\/(?:tmp_|incoming-)[^/]*$/.test(path);
}

/** What git writes before it becomes `packed-refs`; while it exists, git neither packs references nor deletes one. */
const newPackedRefs = 'packed-refs.new';

/** A ref cannot be named `x.lock`, but it can be named `tmp_x` or `x.keep`: those are stale below `objects` alone. */
async function isStale(entry: Dirent, objects: string): Promise<boolean> {
  if (entry.name.endsWith('.lock')) return true;
  if (!entry.parentPath.startsWith(objects)) return false;
  if (entry.name.startsWith('tmp_')) return true;
  // A `.keep` file with other content is an operator's, and stays.
  return (
    entry.name.endsWith('.keep') &&
    /^(fetch|receive)-pack /.test(await readFile(join(entry.parentPath, entry.name), 'latin1'))
  );
}

/**
 * Removes stale locks and unfinished packs, and whole directories in which other servers receive pushes. Git updates
 * refs one by one, so that no update is ever half-done.
 */
export async function removeStale(path: string): Promise<void> {
  const objects = join(path, 'objects');
  await rm(join(path, newPackedRefs), { force: true });
  for (const entry of await readdir(objects)) {
    if (entry.startsWith('tmp_objdir-')) await rm(join(objects, entry), { recursive: true, force: true });
  }
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && (await isStale(entry, objects)))
      await rm(join(entry.parentPath, entry.name), { force: true });
  }
}

/** Returns whether git has failed at a file that another process was writing: under the write lock, it is stale. */
export function findsStale(stderr: string): boolean {
  return /\.(?:lock|new)'?: File exists/.test(stderr);
}
