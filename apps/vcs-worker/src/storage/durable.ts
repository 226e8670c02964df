import { execFile } from 'node:child_process';
import { open, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../has-code.ts';

const filesSyncedSingly = 64;

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const syncFile = syncPath;

/** Syncs a directory; only then does a rename or a new entry in it survive a power failure. */
export const syncDirectory = syncPath;

/** Writes a file that survives a power failure. Who dies in the middle leaves a part of it. */
export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content);
  await syncFile(path);
  await syncDirectory(dirname(path));
}

/** Syncs the directories of a rename: first the new one, so that after a power failure the entry is in one at least. */
export async function syncMove(to: string, from: string): Promise<void> {
  await syncDirectory(to);
  await syncDirectory(from);
}

/**
 * Syncs a tree: each path when there are few, else the whole file system at once. Names that are not UTF-8 are
 * decoded with U+FFFD, and no file is found by them.
 */
export async function makeDurable(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  if (paths.length > filesSyncedSingly || paths.some((path) => path.includes('\uFFFD'))) {
    await promisify(execFile)('sync', ['-f', '--', root]);
    return;
  }
  await Promise.all([...paths, root].map(syncPath));
}

/** Syncs what has changed in a tree since a file of the same file system was written, by the times of its kernel. */
export async function syncChanged(root: string, since: string): Promise<void> {
  const { mtimeNs } = await stat(since, { bigint: true });
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of [...paths, root]) {
    const found = await stat(path, { bigint: true }).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    if (found && found.mtimeNs >= mtimeNs) await syncPath(path);
  }
}
