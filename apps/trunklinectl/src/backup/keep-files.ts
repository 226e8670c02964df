import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupTarget } from './make-backup.ts';
import { findManifest, type BackupFile } from './manifest.ts';

async function isThere(directory: string, { name, bytes }: BackupFile): Promise<boolean> {
  const found = await stat(join(directory, name)).catch(() => null);
  return found?.size === bytes;
}

/** Returns a function that finds repositories in the backup of a directory, if it has one, that have not changed since. */
export async function keptIn(directory: string): Promise<BackupTarget['findKept']> {
  const former = new Map((await findManifest(directory))?.repositories.map((one) => [one.uuid, one]));
  return async ({ uuid, epoch, generation }) => {
    const found = former.get(uuid);
    if (!found || found.head.epoch !== epoch || found.head.generation !== generation) return undefined;
    const there = await Promise.all(found.files.map((file) => isThere(directory, file)));
    return there.every(Boolean) ? found : undefined;
  };
}
