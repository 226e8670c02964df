import { execFile } from 'node:child_process';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../has-code.ts';

const filesSyncedSingly = 64;
const filesLookedAtOnce = 64;

/** Returns null for a file that does not exist; throws all other errors again. */
function unlessGone(error: unknown): null {
  if (!hasCode(error, 'ENOENT')) throw error;
  return null;
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a directory; only then does a rename or a new entry in it survive a power failure. */
export const syncDirectory = syncPath;

/** Writes a file that survives a power failure. A process that dies in the middle leaves a part of it. */
export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content);
  await syncPath(path);
  await syncDirectory(dirname(path));
}

/** Syncs the directories of a rename: first the new one, so that after a power failure the entry is in one at least. */
export async function syncMove(to: string, from: string): Promise<void> {
  await syncDirectory(to);
  await syncDirectory(from);
}

/** Returns the files and directories of a tree, the tree itself last. */
async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() || entry.isDirectory());
  return [...found.map((entry) => join(entry.parentPath, entry.name)), root];
}

/**
 * Syncs paths of a tree: each when there are few, else the whole file system at once. Names that are not UTF-8 are
 * decoded with U+FFFD, and no file is found by them.
 */
async function syncPaths(root: string, paths: readonly string[]): Promise<void> {
  if (paths.length > filesSyncedSingly || paths.some((path) => path.includes('\uFFFD'))) {
    await promisify(execFile)('sync', ['-f', '--', root]);
    return;
  }
  await Promise.all(paths.map(syncPath));
}

export async function makeDurable(root: string): Promise<void> {
  await syncPaths(root, await pathsIn(root));
}

/** Name of a file that exists for a moment; one that a dead process has left means nothing. */
export const clockName = 'trunkline.clock';

/** Returns when a file, or its name, was changed, by the clock of its file system; tools cannot set this time. */
export async function changedAt(path: string): Promise<bigint> {
  return (await stat(path, { bigint: true })).ctimeNs;
}

/** Returns the present time by the clock of a directory's file system. */
export async function timeIn(directory: string): Promise<bigint> {
  const path = join(directory, clockName);
  try {
    await writeFile(path, '.');
    return await changedAt(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Syncs what has changed in a tree since a time by the clock of its file system. */
export async function syncChanged(root: string, since: bigint): Promise<void> {
  const paths = await pathsIn(root);
  const changed: string[] = [];
  for (let at = 0; at < paths.length; at += filesLookedAtOnce) {
    const part = paths.slice(at, at + filesLookedAtOnce);
    const times = await Promise.all(part.map((path) => changedAt(path).catch(unlessGone)));
    changed.push(...part.filter((_path, index) => (times[index] ?? -1n) >= since));
  }
  await syncPaths(root, changed);
}

/**
 * The directories of a storage into which this process renames repositories. Each is synced into the one above it once in
 * the life of the process, whoever has made it: that process may have been killed before its sync.
 */
export class ParentDirectories {
  readonly #durable = new Set<string>();

  /** Makes the directory if it is not there; it survives a power failure afterwards. */
  async ensure(directory: string): Promise<void> {
    const firstMade = await mkdir(directory, { recursive: true });
    if (firstMade === undefined && this.#durable.has(directory)) return;
    const highest = dirname(firstMade ?? directory);
    let above = dirname(directory);
    for (; above !== highest; above = dirname(above)) await syncDirectory(above);
    await syncDirectory(highest);
    this.#durable.add(directory);
  }
}
