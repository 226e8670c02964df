import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDurable, syncDirectory } from './durable.ts';
import { crashPoint } from '../crash-points.ts';
import { ForeignStorageError } from './foreign-storage-error.ts';
import { hasCode } from '../has-code.ts';
import { readMarker } from './marker.ts';
import { scanDirectories, type Scan } from './scan-directories.ts';
import { parseEntryName, surveyStorage, type Survey } from './survey.ts';

/** The directory that holds the bytes of every repository. Paths in the database are relative to it. */
export interface Storage {
  readonly id: string;
  /** Whether the directory is the storage that the database knows. */
  isOurs(): Promise<boolean>;
  absolute(storagePath: string): string;
  /** The staging directory of an operation's attempt; nothing else ever writes there. */
  staging(operationId: string, attempt: number): string;
  /** The path of a repository that an operator placed in the storage; throws when a symbolic link is on the way. */
  plainPath(storagePath: string): Promise<string>;
  /** Repositories outside the service's own directories, and the directories that were skipped. */
  scan(): Promise<Scan>;
  /** The entries of the service's own directories. */
  survey(): Promise<Survey>;
  /** The id in the marker when it is not this instance's. */
  marker(): Promise<'ours' | 'missing' | 'foreign'>;
  /** The time of an entry's last change or move; null when there is no entry. */
  changedAt(path: string): Promise<Date | null>;
  /**
   * Whether a repository's directory exists. Throws when the storage is not mounted, which would make all look missing.
   */
  exists(storagePath: string): Promise<boolean>;
  /**
   * Syncs a staged repository, which may take long, and renames it to its path unless the signal was aborted by then.
   */
  publish(stagingPath: string, storagePath: string, signal: AbortSignal): Promise<void>;
  /** Renames a repository to the trash. The time, by the database's clock, becomes part of the name. */
  trash(storagePath: string, operationId: string, atMs: number): Promise<void>;
  /** Renames the repository that this operation put in the trash back, if there is one. */
  restore(storagePath: string, operationId: string): Promise<void>;
  /**
   * Renames the staging directories of an operation's attempts to the trash, so that a writer loses its directory at
   * once. Attempts from `attempt` on are left: they may be another worker's by now.
   */
  clearStaging(operationId: string, attempt?: number): Promise<void>;
  /** The ids of the operations that have staging directories. */
  stagedOperations(): Promise<string[]>;
  /** Removes the entries of the trash older than `before` whose operations `removable` returns. */
  emptyTrash(beforeMs: number, removable: (operationIds: string[]) => Promise<string[]>): Promise<void>;
}

const directories = ['@repos', '@staging', '@trash'] as const;

/** The path of a new repository; it never changes, and has nothing in it that a user chose. */
export function storagePathOf(uuid: string): string {
  return `@repos/${uuid.slice(0, 2)}/${uuid}`;
}

export async function openStorage(root: string, id: string): Promise<Storage> {
  for (const directory of directories) await mkdir(join(root, directory), { recursive: true });

  const marker = async () => {
    const found = await readMarker(root);
    if (found === null) return 'missing';
    return found === id ? 'ours' : 'foreign';
  };
  const isOurs = async () => (await marker()) === 'ours';
  const assertOurs = async () => {
    if (!(await isOurs())) throw new ForeignStorageError(`the storage at ${root} is not ${id}`);
  };
  /** Entries of staging or trash named `[time.]operation[.attempt]`; entries with other names are ignored. */
  const entriesOf = async (directory: string) => {
    await assertOurs();
    const entries = await readdir(join(root, directory));
    return entries.flatMap((entry) => {
      const parsed = parseEntryName(entry);
      return parsed ? [{ entry, ...parsed }] : [];
    });
  };

  return {
    id,
    isOurs,
    async plainPath(storagePath) {
      await assertOurs();
      const path = join(root, storagePath);
      if ((await realpath(path)) === join(await realpath(root), storagePath)) return path;
      throw new Error(`${storagePath} is reached through a symbolic link`);
    },
    async scan() {
      await assertOurs();
      return scanDirectories(root, new Set(directories));
    },
    async survey() {
      await assertOurs();
      return surveyStorage(root);
    },
    marker,
    async changedAt(path) {
      const found = await lstat(join(root, path)).catch(ignoreMissing);
      return found ? new Date(Math.max(found.mtimeMs, found.ctimeMs)) : null;
    },
    absolute: (storagePath) => join(root, storagePath),
    staging: (operationId, attempt) => join(root, '@staging', `${operationId}.${attempt}`),
    async exists(storagePath) {
      await assertOurs();
      try {
        await stat(join(root, storagePath));
        return true;
      } catch (error) {
        // A parent of the path may be a file.
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
        throw error;
      }
    },
    async publish(stagingPath, storagePath, signal) {
      await assertOurs();
      const target = join(root, storagePath);
      await makeDurable(stagingPath);
      const made = await mkdir(dirname(target), { recursive: true });
      if (made !== undefined) await syncDirectory(dirname(made));
      signal.throwIfAborted();
      crashPoint('publish.synced');
      await rename(stagingPath, target);
      crashPoint('publish.moved');
      await syncDirectory(dirname(target));
    },
    async trash(storagePath, operationId, atMs) {
      await assertOurs();
      const source = join(root, storagePath);
      await rename(source, join(root, '@trash', `${atMs}.${operationId}`));
      await syncDirectory(dirname(source));
    },
    async restore(storagePath, operationId) {
      const entries = (await readdir(join(root, '@trash')).catch(ignoreMissing)) ?? [];
      const trashed = entries.find((entry) => entry.endsWith(`.${operationId}`));
      if (trashed === undefined) return;
      const target = join(root, storagePath);
      await rename(join(root, '@trash', trashed), target);
      await syncDirectory(dirname(target));
    },
    async clearStaging(operationId, attempt = Infinity) {
      for (const one of await entriesOf('@staging')) {
        const { entry } = one;
        if (one.id !== operationId || one.attempt >= attempt) continue;
        await rename(join(root, '@staging', entry), join(root, '@trash', `0.${entry}`)).catch(ignoreMissing);
      }
    },
    async stagedOperations() {
      return [...new Set((await entriesOf('@staging')).map(({ id }) => id))];
    },
    async emptyTrash(beforeMs, removable) {
      const old = (await entriesOf('@trash')).filter(({ time }) => time <= beforeMs);
      const ids = new Set(await removable([...new Set(old.map(({ id }) => id))]));
      if (ids.size > 0) crashPoint('trash.chosen');
      for (const { entry, id } of old) {
        if (!ids.has(id)) continue;
        await rm(join(root, '@trash', entry), { recursive: true, force: true });
        crashPoint('trash.emptying');
      }
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
