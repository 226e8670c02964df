import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readMarker } from '@trunkline/runtime';
import { makeDurable, ParentDirectories, syncDirectory, syncMove } from './durable.ts';
import { crashPoint } from '../crash-points.ts';
import { ForeignStorageError } from './storage-errors.ts';
import { hasCode } from '../has-code.ts';
import type { ClaimedStorage } from './claim-storages.ts';
import { moveLocks, type MoveLocks } from './move-locks.ts';
import { pushDirectories, type PushDirectories } from './push-directories.ts';
import { scanDirectories, type Scan } from './scan-directories.ts';
import { parseEntryName, surveyStorage, type Survey } from './survey.ts';

/** The directory that holds the bytes of every repository. Paths in the database are relative to it. */
export interface Storage {
  readonly id: string;
  readonly name: string;
  /** Returns whether the directory is the storage that the database knows. */
  isOurs(): Promise<boolean>;
  absolute(storagePath: string): string;
  /** Returns the staging directory of an operation's attempt, where nothing else ever writes. */
  staging(operationId: string, attempt: number): string;
  /** Returns the path of a repository that an operator placed in the storage; throws when it leads through a link. */
  plainPath(storagePath: string): Promise<string>;
  /** Finds repositories outside Trunkline's own directories, and lists the directories that were skipped. */
  scan(): Promise<Scan>;
  /** Lists the entries of Trunkline's own directories. */
  survey(): Promise<Survey>;
  /** Compares the id in the marker with that of the storage that the database knows. */
  marker(): Promise<'ours' | 'missing' | 'foreign'>;
  /** Returns the time of an entry's last change or move; null when there is no entry. */
  changedAt(path: string): Promise<Date | null>;
  /**
   * Returns whether a repository's directory exists. Throws when the storage is not mounted, since all directories
   * would seem missing.
   */
  exists(storagePath: string): Promise<boolean>;
  /**
   * Syncs a staged repository, which may take long, and renames it to its path. Throws before the rename when the
   * signal was aborted meanwhile. With `guard`, the rename is done by it, or not at all.
   */
  publish(
    stagingPath: string,
    storagePath: string,
    signal: AbortSignal,
    guard?: (rename: () => Promise<void>) => Promise<void>,
  ): Promise<void>;
  /** Publishes a staged repository that is on disk already, shortly after the marker of the storage was read. */
  publishSynced(stagingPath: string, storagePath: string, signal: AbortSignal): Promise<void>;
  /**
   * Returns whether an earlier attempt has published the repository, which then survives a power failure: that attempt may
   * have ended between the rename and its sync.
   */
  isPublished(storagePath: string): Promise<boolean>;
  /** Renames a repository to the trash. `atMs`, by the database's clock, becomes part of the name. */
  trash(storagePath: string, operationId: string, atMs: number): Promise<void>;
  /**
   * Syncs the directories between which an earlier attempt may have moved the repository, to the trash or back: it may
   * have ended between the rename and its sync.
   */
  syncMoved(storagePath: string): Promise<void>;
  /** Returns when this operation has moved a repository to the trash, as `trash` was told; null when none is there. */
  trashedAt(operationId: string): Promise<number | null>;
  /** Renames the repository that this operation moved to the trash to this path; returns whether there was one. */
  restore(storagePath: string, operationId: string): Promise<boolean>;
  /** Directories in which pushes arrive. */
  readonly pushes: PushDirectories;
  /** Locks under which an operation's attempts call `trash` and `restore`. */
  readonly moveLocks: MoveLocks;
  /**
   * Takes the bytes from all attempts of an operation before `attempt`: none of them builds or moves anything any more.
   * Throws while one of them may be moving its repository.
   */
  fenceAttempts(operationId: string, attempt: number): Promise<void>;
  /**
   * Renames the staging directories of an operation's attempts to the trash, so that a writer loses its directory at
   * once.
   */
  clearStaging(operationId: string): Promise<void>;
  /** Lists the ids of the operations that have staging directories. */
  stagedOperations(): Promise<string[]>;
  /** Lists the ids of the operations that have moved something to the trash. */
  trashedOperations(): Promise<string[]>;
  /** Removes the entries that came to the trash by `beforeMs`, as far as `removable` returns their operations. */
  emptyTrash(beforeMs: number, removable: (operationIds: string[]) => Promise<string[]>): Promise<void>;
}

const directories = ['@repos', '@staging', '@trash', '@locks'] as const;

/**
 * Returns the path of a repository that is made or arrives; no user chooses any part of it. Of the epoch that a move
 * begins, the path has the number, so that nothing collides with a former tree or with a late writer.
 */
export function storagePathOf(uuid: string, epoch = 1): string {
  const directory = `@repos/${uuid.slice(0, 2)}/${uuid}`;
  return epoch === 1 ? directory : `${directory}.${epoch}`;
}

export async function openStorage({ root, id, name }: ClaimedStorage): Promise<Storage> {
  for (const directory of directories) await mkdir(join(root, directory), { recursive: true });
  await syncDirectory(root);

  const marker = async () => {
    const found = await readMarker(root);
    if (found === null) return 'missing';
    return found === id ? 'ours' : 'foreign';
  };
  const isOurs = async () => (await marker()) === 'ours';
  const assertOurs = async () => {
    if (!(await isOurs())) throw new ForeignStorageError(`the storage at ${root} does not have the id ${id}`);
  };
  /** Lists the entries of staging or trash named `[time.]operation[.attempt]`; ignores entries with other names. */
  const entriesOf = async (directory: string) => {
    await assertOurs();
    const entries = await readdir(join(root, directory));
    return entries.flatMap((entry) => {
      const parsed = parseEntryName(entry);
      return parsed ? [{ entry, ...parsed }] : [];
    });
  };
  const clearAttempts = async (operationId: string, before: number) => {
    for (const one of await entriesOf('@staging')) {
      const { entry } = one;
      if (one.id !== operationId || one.attempt >= before) continue;
      // The time 0 makes the entry old enough for the next `emptyTrash`.
      await replaceDirectory(join(root, '@staging', entry), join(root, '@trash', `0.${entry}`));
    }
  };
  const trashed = async (operationId: string) => {
    await assertOurs();
    return (await readdir(join(root, '@trash'))).find((entry) => entry.endsWith(`.${operationId}`));
  };
  const publishSynced = async (
    stagingPath: string,
    storagePath: string,
    signal: AbortSignal,
    guard: (rename: () => Promise<void>) => Promise<void>,
  ) => {
    const target = join(root, storagePath);
    await parents.ensure(dirname(target));
    signal.throwIfAborted();
    crashPoint('publish.synced');
    await guard(() => rename(stagingPath, target));
    crashPoint('publish.moved');
    await syncDirectory(dirname(target));
  };
  const exists = async (storagePath: string) => {
    await assertOurs();
    try {
      await stat(join(root, storagePath));
      return true;
    } catch (error) {
      // A parent of the path may be a file.
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
  };
  const locks = moveLocks(join(root, '@locks'));
  const parents = new ParentDirectories();

  return {
    id,
    name,
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
    exists,
    async publish(stagingPath, storagePath, signal, guard = (move) => move()) {
      await assertOurs();
      await makeDurable(stagingPath);
      await publishSynced(stagingPath, storagePath, signal, guard);
    },
    publishSynced: (stagingPath, storagePath, signal) =>
      publishSynced(stagingPath, storagePath, signal, (move) => move()),
    async isPublished(storagePath) {
      if (!(await exists(storagePath))) return false;
      const parent = dirname(join(root, storagePath));
      await parents.ensure(parent);
      await syncDirectory(parent);
      return true;
    },
    async trash(storagePath, operationId, atMs) {
      await assertOurs();
      const source = join(root, storagePath);
      await rename(source, join(root, '@trash', `${atMs}.${operationId}`));
      await syncMove(join(root, '@trash'), dirname(source));
    },
    async syncMoved(storagePath) {
      await assertOurs();
      await syncDirectory(join(root, '@trash'));
      // The parent of a repository whose directory was removed by hand may be gone, too.
      await syncDirectory(dirname(join(root, storagePath))).catch(ignoreMissing);
    },
    async trashedAt(operationId) {
      const entry = await trashed(operationId);
      return entry === undefined ? null : (parseEntryName(entry)?.time ?? null);
    },
    async restore(storagePath, operationId) {
      const entry = await trashed(operationId);
      if (entry === undefined) return false;
      const target = join(root, storagePath);
      await parents.ensure(dirname(target));
      await rename(join(root, '@trash', entry), target);
      await syncMove(dirname(target), join(root, '@trash'));
      return true;
    },
    pushes: pushDirectories(join(root, '@staging')),
    moveLocks: locks,
    async fenceAttempts(operationId, attempt) {
      await assertOurs();
      await locks.requireFree(operationId);
      // Later attempts may be another worker's.
      await clearAttempts(operationId, attempt);
    },
    clearStaging: (operationId) => clearAttempts(operationId, Infinity),
    async stagedOperations() {
      return [...new Set((await entriesOf('@staging')).map(({ id }) => id))];
    },
    async trashedOperations() {
      return [...new Set((await entriesOf('@trash')).map(({ id: operationId }) => operationId))];
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

/** Moves a directory, if it is there, also where one is: a suspended worker makes its directory anew when it continues. */
async function replaceDirectory(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) return ignoreMissing(error);
    await rm(to, { recursive: true, force: true });
    await rename(from, to).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
