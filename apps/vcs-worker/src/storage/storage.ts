import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDurable, syncDirectory } from './durable.ts';
import { crashPoint } from '../crash-points.ts';
import { ForeignStorageError } from './foreign-storage-error.ts';
import { hasCode } from '../has-code.ts';
import { readMarker } from './marker.ts';
import { scanDirectories, type Scan } from './scan-directories.ts';
import { parseEntryName, surveyStorage, type Survey } from './survey.ts';

/** The directory below which every repository's bytes live. Paths in the database are relative to it. */
export interface Storage {
  readonly id: string;
  /** Whether the disk is the one that the database knows. */
  isOurs(): Promise<boolean>;
  absolute(storagePath: string): string;
  /** Where an operation's attempt builds; nothing else ever writes there. */
  staging(operationId: string, attempt: number): string;
  /** Where a repository lies that somebody else put there; throws when a symbolic link is on the way. */
  plainPath(storagePath: string): Promise<string>;
  /** Repositories that lie outside the places that are ours, and what was passed over. */
  scan(): Promise<Scan>;
  /** What lies in the places that are ours. */
  survey(): Promise<Survey>;
  /** Whose disk it is, where it is not ours. */
  marker(): Promise<'ours' | 'missing' | 'foreign'>;
  /** When an entry was last changed or moved; null when it is not there. */
  changedAt(path: string): Promise<Date | null>;
  /** Throws when the disk cannot tell: an unmounted one holds nothing, which means nothing. */
  exists(storagePath: string): Promise<boolean>;
  /** Makes what was built durable, which may take long, and moves it to its place unless the signal has fired by then. */
  publish(stagingPath: string, storagePath: string, signal: AbortSignal): Promise<void>;
  /** Moves a repository out of sight, at once and for good; when that is, by the database's clock. */
  trash(storagePath: string, operationId: string, atMs: number): Promise<void>;
  /** Moves back what this operation put in the trash, if it did. */
  restore(storagePath: string, operationId: string): Promise<void>;
  /**
   * Moves what attempts of an operation have built to the trash, at once: a writer loses its directory. Those from
   * `attempt` on may be another worker's, by the time this one comes to it.
   */
  clearStaging(operationId: string, attempt?: number): Promise<void>;
  /** The operations that have something in staging. */
  stagedOperations(): Promise<string[]>;
  /** Removes what lies in the trash since before then, of those operations that `removable` answers. */
  emptyTrash(beforeMs: number, removable: (operationIds: string[]) => Promise<string[]>): Promise<void>;
}

const directories = ['@repos', '@staging', '@trash'] as const;

/** Where a repository that is created here lies; immutable and free of anything a user chose. */
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
  /** What operations have put there, as `[time.]operation[.attempt]`; whatever else lies there is not ours. */
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
        // A file may have taken the place of a directory above it.
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
