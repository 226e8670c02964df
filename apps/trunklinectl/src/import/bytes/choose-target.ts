import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { storages, type Database } from '@trunkline/db';
import { readMarker, type StorageSetting } from '@trunkline/runtime';
import { eq } from 'drizzle-orm';
import { RefusedError, UsageError } from '../../errors.ts';
import { findStorageOwner, type StorageOwner } from './storage-owner.ts';

/** The storage that takes the repositories. */
export interface Target {
  readonly storageId: string;
  readonly name: string;
  readonly root: string;
  readonly owner: StorageOwner;
  /** For an adoption in place, the path of the directory of repositories below the root; null for copies. */
  readonly adoptedBelow: string | null;
}

async function usable(db: Database, { name, root }: StorageSetting): Promise<Target> {
  const [row] = await db
    .select({ id: storages.id, state: storages.state })
    .from(storages)
    .where(eq(storages.name, name));
  if (!row) throw new RefusedError(`the database knows no storage \`${name}\`: start a worker with it first`);
  if (row.state !== 'active') throw new RefusedError(`storage \`${name}\` is ${row.state}`);
  if ((await readMarker(root)) !== row.id) throw new RefusedError(`${root} has not the marker of storage \`${name}\``);
  return { storageId: row.id, name, root, owner: await findStorageOwner(root), adoptedBelow: null };
}

/** Returns the path of a directory below a root, empty for the root itself; null for one elsewhere. */
function below(root: string, directory: string): string | null {
  if (directory === root) return '';
  return directory.startsWith(`${root}${sep}`) ? directory.slice(root.length + 1) : null;
}

/** Chooses the storage in which the directory of repositories lies already. */
async function chooseInPlace(db: Database, settings: readonly StorageSetting[], directory: string): Promise<Target> {
  for (const setting of settings) {
    const path = below(await realpath(setting.root), directory);
    if (path === null) continue;
    if (path.startsWith('@')) throw new UsageError('REPOSITORIES must not lie in a directory of Trunkline itself');
    return { ...(await usable(db, setting)), adoptedBelow: path };
  }
  throw new UsageError('--adopt: REPOSITORIES must be the directory of a storage of this environment, or lie in it');
}

/** Returns the storage for the repositories; throws for a setting that does not allow it. */
export async function chooseTarget(
  db: Database,
  settings: readonly StorageSetting[],
  repositories: string,
  { adopt, storage }: { readonly adopt: boolean; readonly storage: string | null },
): Promise<Target> {
  const directory = await realpath(repositories).catch((cause: unknown) => {
    throw new UsageError(`the directory ${repositories} cannot be read`, { cause });
  });
  const named = settings.filter(({ name }) => storage === null || name === storage);
  if (settings.length === 0) throw new UsageError('no storage is set: run it with the settings of a worker');
  if (adopt) return chooseInPlace(db, named, directory);
  const [only, ...more] = named;
  if (!only) throw new UsageError(`Invalid value for \`--storage\`: no storage here is called \`${storage}\``);
  if (more.length > 0) throw new UsageError('say --storage: this environment has several');
  const target = await usable(db, only);
  const root = await realpath(target.root);
  if (below(root, directory) !== null || below(directory, root) !== null) {
    throw new UsageError('REPOSITORIES and the storage must not lie in each other: say --adopt, or move one of them');
  }
  return target;
}
