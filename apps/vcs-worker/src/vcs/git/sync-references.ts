import { dirname, join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { syncDirectory } from '../../storage/durable.ts';

const syncedAtOnce = 8;

/** Syncs directories as far as they exist: one is gone with the last reference in it. */
async function syncDirectories(directories: readonly string[]): Promise<void> {
  const unlessGone = (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  };
  for (let at = 0; at < directories.length; at += syncedAtOnce) {
    await Promise.all(directories.slice(at, at + syncedAtOnce).map((one) => syncDirectory(one).catch(unlessGone)));
  }
}

/** Syncs the directories in which references were written, and those above. Git syncs the files, with our settings. */
export async function syncReferences(path: string, names: readonly string[]): Promise<void> {
  const directories = new Set<string>([path]);
  for (const name of names) {
    for (let one = dirname(name); one !== '.'; one = dirname(one)) directories.add(join(path, one));
  }
  await syncDirectories([...directories]);
}

/** Syncs the directories that a fetch has changed, which brings its objects in packs. */
export async function syncPacks(path: string): Promise<void> {
  await syncDirectories([join(path, 'objects/pack'), join(path, 'objects')]);
}
