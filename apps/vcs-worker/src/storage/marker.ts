import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeys, storages, users, type Database } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { hasCode } from '../has-code.ts';
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

/**
 * Returns the id of the storage that this database claims, made from the random key of its user `default`: a first start
 * that was interrupted may leave a marker with it before the database knows the storage, and no other database has it.
 */
async function ownStorageId(db: Database): Promise<string> {
  const [key] = await db
    .select({ hmac: apiKeys.hmac })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(users.usernameKey, 'default'), eq(apiKeys.builtin, true)));
  if (!key) throw new Error('the user `default` has no key');
  const digits = createHash('sha256').update('storage').update(key.hmac).digest('hex');
  // In the form of a random UUID.
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Throws ForeignStorageError unless the directory is empty of repositories and of other databases' markers. */
async function requireUnclaimed(root: string, id: string): Promise<void> {
  const found = await readMarker(root);
  if (found !== null && found !== id) {
    throw new ForeignStorageError(`${root} is the storage of another database (its id is ${found || 'empty'})`);
  }
  if (await holdsRepositories(root)) {
    throw new ForeignStorageError(`${root} holds repositories that this database does not know`);
  }
}

/**
 * Returns the id of the storage at `root`. Claims a directory only when the database knows no storage yet; throws
 * ForeignStorageError for a missing or foreign marker, and for repositories without one. Runs under the migration lock.
 */
export async function claimStorage(db: Database, root: string): Promise<string> {
  const [known] = await db.select({ id: storages.id }).from(storages).limit(1);
  if (known) {
    if ((await readMarker(root)) === known.id) return known.id;
    throw new ForeignStorageError(`${root} does not hold the repositories of this database (is the disk mounted?)`);
  }
  await mkdir(root, { recursive: true });
  const id = await ownStorageId(db);
  await requireUnclaimed(root, id);
  if ((await readMarker(root)) === null) {
    await writeMarker(root, id).catch(async (error: unknown) => {
      // Another database was faster, or the marker cannot be read.
      if (hasCode(error, 'EEXIST')) await requireUnclaimed(root, id);
      throw error;
    });
  }
  await db.insert(storages).values({ id });
  return id;
}
