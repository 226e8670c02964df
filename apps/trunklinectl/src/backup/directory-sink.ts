import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RefusedError } from '../errors.ts';
import { noticeName } from './lock-directory.ts';
import { manifestName } from './manifest.ts';
import type { BackupSink } from './sink.ts';

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file that only its owner may read, and syncs it. */
async function writeFile(path: string, content: Buffer): Promise<void> {
  // An attempt that was cut off may have left a part of it.
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const makeDirectory = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });

/** Makes a directory for backups; throws RefusedError for one with files of others, which no backup may remove. */
export async function claimDirectory(directory: string): Promise<void> {
  await makeDirectory(directory);
  const entries = await readdir(directory);
  if (entries.length === 0 || entries.includes(noticeName) || entries.includes(manifestName)) return;
  throw new RefusedError(`${directory} is not empty, and no backup was begun in it`);
}

/** Writes a backup to a directory that is claimed and locked. Files of an earlier one stay until the new manifest is there. */
export function openDirectorySink(directory: string): BackupSink {
  const made = new Set<string>([directory]);
  return {
    async write(name, content) {
      const path = join(directory, name);
      const parent = dirname(path);
      if (!made.has(parent)) await makeDirectory(parent);
      made.add(parent);
      await writeFile(path, content);
    },
    async finish(manifest) {
      for (const path of made) await sync(path);
      for (const path of made) await sync(dirname(path));
      const temporary = join(directory, `${manifestName}.new`);
      await writeFile(temporary, manifest);
      await rename(temporary, join(directory, manifestName));
      await sync(directory);
    },
  };
}

/** Removes the files of former backups, and of runs that were cut off, that the manifest does not name. */
export async function removeOthers(directory: string, kept: ReadonlySet<string>): Promise<void> {
  for (const top of ['tables', 'repositories']) {
    const entries = await readdir(join(directory, top), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !kept.has(path.slice(directory.length + 1))) await rm(path, { force: true });
    }
    // Those that are empty now.
    for (const entry of entries) {
      if (entry.isDirectory()) await rmdir(join(entry.parentPath, entry.name)).catch(() => {});
    }
  }
}
