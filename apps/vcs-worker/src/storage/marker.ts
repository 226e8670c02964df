import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storages, type Database } from '@trunkline/db';
import { ForeignStorageError } from './foreign-storage-error.ts';
import { syncDirectory } from './durable.ts';

const markerName = '.trunkline-storage';

/** Reads the id in a storage's marker file; null when the file cannot be read. */
export async function readMarker(root: string): Promise<string | null> {
  try {
    return (await readFile(join(root, markerName), 'utf8')).trim();
  } catch {
    return null;
  }
}

async function writeMarker(root: string, id: string): Promise<void> {
  const handle = await open(join(root, markerName), 'wx', 0o644);
  try {
    await handle.writeFile(`${id}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(root);
}

async function holdsRepositories(root: string): Promise<boolean> {
  return (await readdir(join(root, '@repos')).catch(() => [])).length > 0;
}

/**
 * Returns the id of the storage at `root`. Marks a new one only when the database knows no storage yet; throws
 * ForeignStorageError for a missing or foreign marker. Runs under the migration lock.
 */
export async function claimStorage(db: Database, root: string): Promise<string> {
  const [known] = await db.select({ id: storages.id }).from(storages).limit(1);
  if (known) {
    if ((await readMarker(root)) === known.id) return known.id;
    throw new ForeignStorageError(`${root} does not hold the repositories of this database (is the disk mounted?)`);
  }
  await mkdir(root, { recursive: true });
  const found = await readMarker(root);
  if (found !== null && (await holdsRepositories(root))) {
    throw new ForeignStorageError(`${root} holds the repositories of another database`);
  }
  // A first start that was interrupted may have left a marker without repositories.
  const id = found ?? randomUUID();
  if (found === null) await writeMarker(root, id);
  await db.insert(storages).values({ id });
  return id;
}
