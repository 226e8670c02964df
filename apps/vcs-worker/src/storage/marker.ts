import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { markerName, readMarker } from '@trunkline/runtime';
import { hasCode } from '../has-code.ts';
import { ForeignStorageError } from './foreign-storage-error.ts';
import { syncDirectory } from './durable.ts';

/** Writes the marker as a whole or not at all, and replaces none: another database may claim the directory as well. */
async function writeMarker(root: string, id: string): Promise<void> {
  const temporary = join(root, `${markerName}.${randomUUID()}`);
  const handle = await open(temporary, 'wx', 0o644);
  try {
    await handle.writeFile(`${id}\n`);
    await handle.sync();
    await link(temporary, join(root, markerName));
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
  await syncDirectory(root);
}

async function holdsRepositories(root: string): Promise<boolean> {
  try {
    return (await readdir(join(root, '@repos'))).length > 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

const ownEntries = ['@repos', '@staging', '@trash', '@locks', 'lost+found'];

/** Throws ForeignStorageError when the directory has entries that do not belong to an empty storage. */
export async function requireEmpty(root: string): Promise<void> {
  const entries = await readdir(root).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const others = entries.filter((entry) => !ownEntries.includes(entry) && !entry.startsWith(markerName));
  if (others.length > 0) throw new ForeignStorageError(`${root} is not empty, so it cannot become a new storage`);
}

/**
 * Returns whether the directory has the marker of this storage already. Throws ForeignStorageError unless it is empty of
 * repositories and of other storages' markers.
 */
async function isClaimed(root: string, id: string, read: typeof readMarker): Promise<boolean> {
  const found = await read(root);
  if (found !== null && found !== id) {
    throw new ForeignStorageError(`${root} is the storage of another database (its id is ${found || 'empty'})`);
  }
  if (await holdsRepositories(root)) {
    throw new ForeignStorageError(`${root} holds repositories that this database does not know`);
  }
  return found !== null;
}

/**
 * Makes the directory the storage with this id; repeats a start that was interrupted. Tests have another database claim
 * the directory after a look of `read`.
 */
export async function claimDirectory(root: string, id: string, read = readMarker): Promise<void> {
  await mkdir(root, { recursive: true });
  // One look decides: by a second one, the marker of another database may have come.
  if (await isClaimed(root, id, read)) return;
  await writeMarker(root, id).catch(async (error: unknown) => {
    // Another database was faster, or the marker cannot be read.
    if (!hasCode(error, 'EEXIST') || !(await isClaimed(root, id, read))) throw error;
  });
}
