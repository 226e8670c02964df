import { execFile } from 'node:child_process';
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { RefusedError } from '../errors.ts';
import { noticeName } from './lock-directory.ts';
import { filesOf, findManifest, manifestName } from './manifest.ts';
import type { BackupSink } from './sink.ts';

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file that only its owner may read. */
async function writeFile(path: string, content: Buffer): Promise<void> {
  // An attempt that was cut off may have left a part of it.
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

/**
 * Syncs the file systems of some directories at once. The sync of each file by itself would wait, on a busy disk, for what
 * everybody has written.
 */
async function syncAll(directories: readonly string[]): Promise<void> {
  await promisify(execFile)('sync', ['-f', '--', ...directories]);
}

const makeDirectory = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });

/** The directories in which a backup has its files. */
const tops = ['tables', 'repositories'] as const;

/** Throws RefusedError for a link in the stead of a directory of the backup: files behind it are those of others. */
async function requireDirectory(directory: string, below: string): Promise<void> {
  let path = directory;
  for (const name of below.split('/')) {
    path = join(path, name);
    if ((await lstat(path)).isDirectory()) continue;
    throw new RefusedError(`${path} is no directory`);
  }
}

/** Makes a directory for backups; throws RefusedError for one with files of others, which no backup may remove. */
export async function claimDirectory(directory: string): Promise<void> {
  await makeDirectory(directory);
  const entries = await readdir(directory);
  const isOurs = entries.length === 0 || entries.includes(noticeName) || entries.includes(manifestName);
  if (!isOurs) throw new RefusedError(`${directory} is not empty, and no backup was begun in it`);
  for (const top of tops) if (entries.includes(top)) await requireDirectory(directory, top);
}

/** Writes a backup to a directory that is claimed and locked. Files of an earlier one stay until the new manifest is there. */
export function openDirectorySink(directory: string): BackupSink {
  const parents = new Set<string>();
  const written = new Set([directory]);
  return {
    async write(name, content) {
      const below = dirname(name);
      if (!parents.has(below)) {
        await makeDirectory(join(directory, below));
        await requireDirectory(directory, below);
      }
      parents.add(below);
      written.add(join(directory, below.split('/')[0] ?? ''));
      await writeFile(join(directory, name), content);
    },
    async finish(manifest) {
      const temporary = join(directory, `${manifestName}.new`);
      await writeFile(temporary, manifest);
      // Other file systems may be mounted below the directory.
      await syncAll([...written]);
      await rename(temporary, join(directory, manifestName));
      await sync(directory);
    },
  };
}

/** Removes the files of former backups, and of runs that were cut off, that the manifest does not name. */
export async function removeOthers(directory: string, kept: ReadonlySet<string>): Promise<void> {
  for (const top of tops) {
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

/**
 * Removes what runs that were cut off have left beside a backup, which may have filled the disk. Where no manifest can be
 * read, nobody knows what is left over.
 */
export async function removeLeftovers(directory: string): Promise<void> {
  const manifest = await findManifest(directory, null).catch(() => null);
  if (manifest) await removeOthers(directory, new Set(filesOf(manifest).map(({ name }) => name)));
}
