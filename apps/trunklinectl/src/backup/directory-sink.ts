import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RefusedError } from '../errors.ts';
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
  // A run that was cut off may have left a part of it.
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const noticeName = 'trunkline-backup.txt';
const notice = 'Files of `trunklinectl backup`, which removes those here that a new manifest does not name.\n';

/** Throws RefusedError for a directory with files of others, which are not to be removed after a backup. */
async function claimDirectory(directory: string): Promise<void> {
  const entries = await readdir(directory);
  if (entries.includes(noticeName) || entries.includes(manifestName)) return;
  if (entries.length > 0) throw new RefusedError(`${directory} is not empty, and no backup was begun in it`);
  await writeFile(join(directory, noticeName), Buffer.from(notice));
}

/** Writes a backup to a directory, which is empty or has an earlier one. Files of an earlier one stay until the new manifest is there. */
export async function openDirectorySink(directory: string): Promise<BackupSink> {
  const made = new Set<string>();
  const ensure = async (path: string) => {
    if (made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    made.add(path);
  };
  await ensure(directory);
  await claimDirectory(directory);
  return {
    async write(name, content) {
      const path = join(directory, name);
      await ensure(dirname(path));
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
  }
}
