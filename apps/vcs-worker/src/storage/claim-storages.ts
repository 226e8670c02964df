import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { markerName, readMarker, type StorageSetting } from '@trunkline/runtime';
import { apiKeys, type Database, storages, users } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { hasCode } from '../has-code.ts';
import { ForeignStorageError } from './storage-errors.ts';
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
async function requireEmpty(root: string): Promise<void> {
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

/** A storage that the worker serves: its name, its root directory and the id in its marker. */
export interface ClaimedStorage extends StorageSetting {
  readonly id: string;
}

export interface StorageClaims {
  readonly storages: readonly StorageSetting[];
  /** Names of the storages that the database need not know yet. */
  readonly created: readonly string[];
}

type Known = Pick<typeof storages.$inferSelect, 'id' | 'name'>;

/** Name of an instance's first storage, the only one of instances that began before storages had names. */
const firstName = 'default';

/**
 * Returns the id of a storage that this database claims, made from the name and the random key of the database's user
 * `default`: a first start that was interrupted may leave a marker with it before the database knows the storage, and no
 * other database has it.
 */
async function idOfNew(db: Database, name: string): Promise<string> {
  const [key] = await db
    .select({ hmac: apiKeys.hmac })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(users.usernameKey, 'default'), eq(apiKeys.builtin, true)));
  if (!key) throw new Error('the user `default` has no key');
  const digest = createHash('sha256').update(name === firstName ? 'storage' : `storage ${name}`);
  const digits = digest.update(key.hmac).digest('hex');
  // In the form of a random UUID.
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Throws ForeignStorageError unless the directory has the marker of the storage. */
async function requireMarker({ name, root }: StorageSetting, id: string, known: readonly Known[]): Promise<void> {
  const found = await readMarker(root);
  if (found === id) return;
  const other = known.find((one) => one.id === found);
  if (other) throw new ForeignStorageError(`${root} is the storage \`${other.name}\`, not \`${name}\``);
  throw new ForeignStorageError(`${root} does not hold the repositories of this database (is the disk mounted?)`);
}

/** Claims a directory for a storage that the database does not know; returns the id. */
async function createStorage(
  db: Database,
  { name, root }: StorageSetting,
  { storages: settings, created }: StorageClaims,
  known: readonly Known[],
): Promise<string> {
  const isFirst = known.length === 0 && (name === firstName || settings.length === 1);
  if (!isFirst && !created.includes(name)) {
    const text = `the database knows no storage \`${name}\`: correct the name, or name it in TRUNKLINE_STORAGE_CREATE`;
    throw new ForeignStorageError(text);
  }
  const found = await readMarker(root);
  const other = known.find((one) => one.id === found);
  if (other) throw new ForeignStorageError(`${root} is the storage \`${other.name}\`, not \`${name}\``);
  const id = await idOfNew(db, name);
  // Repositories to adopt may lie in the first storage already.
  if (!isFirst) await requireEmpty(root);
  await claimDirectory(root, id);
  await db.insert(storages).values({ id, name });
  return id;
}

/**
 * Checks the markers of the worker's storages, and claims the directories of new ones. Throws ForeignStorageError for a
 * missing or foreign marker, a directory that is not empty, and a name that the database does not know. No other
 * process of the instance starts meanwhile.
 */
export async function claimStorages(db: Database, claims: StorageClaims): Promise<readonly ClaimedStorage[]> {
  const known: readonly Known[] = await db.select({ id: storages.id, name: storages.name }).from(storages);
  const claimed: ClaimedStorage[] = [];
  for (const setting of claims.storages) {
    const row = known.find(({ name }) => name === setting.name);
    if (row) await requireMarker(setting, row.id, known);
    claimed.push({ ...setting, id: row?.id ?? (await createStorage(db, setting, claims, known)) });
  }
  return claimed;
}
