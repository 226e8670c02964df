import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { canLock, lockFile } from '@trunkline/runtime/concurrency';
import { OutcomeUnknownError } from '@trunkline/contracts';
import { hasCode } from '../has-code.ts';
import { syncDirectory } from './durable.ts';

/** The directory of one push, which this process owns until it calls `remove` or `leave`. */
interface PushDirectory {
  readonly path: string;
  remove(): Promise<void>;
  /** Leaves the directory to the worker that takes the operation over, and to the sweeps. */
  leave(): Promise<void>;
}

/**
 * Directories in which pushes arrive, below staging. Each has a file that the kernel locks while the process lives that
 * receives the push: an upload has no operation yet by which sweeps could tell.
 */
export interface PushDirectories {
  /** Returns the path of the directory of a push, whether it exists or not. */
  path(operationId: string): string;
  create(operationId: string): Promise<PushDirectory>;
  /** Removes the directories of dead processes, as far as `removable` returns their operations. */
  clear(removable: (operationIds: readonly string[]) => Promise<readonly string[]>): Promise<void>;
}

const namePattern = /^([0-9a-f-]{36})\.push(\.gone)?$/;
const lockName = 'lock';
const waitSeconds = 3;
/** A sweep holds a directory for moments, and finds it once between its creation and its lock. */
const triesMax = 5;

/** Returns whether an entry of staging is the directory of a push, or one that is being removed. */
export function isPushDirectory(name: string): boolean {
  return namePattern.test(name);
}

async function inodeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  return found?.ino;
}

interface Locks {
  readonly canLock: boolean;
  readonly lockFile: typeof lockFile;
}

/** Locks a directory; returns null when another process has it, or when it is gone. */
async function lock({ lockFile: lockOpen }: Locks, directory: string, seconds: number): Promise<FileHandle | null> {
  const path = join(directory, lockName);
  const file = await open(path, 'a').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (!file) return null;
  try {
    // The former holder may have removed the directory.
    if ((await lockOpen(file, seconds)) && (await inodeOf(path)) === (await file.stat()).ino) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return null;
}

/**
 * Removes a directory that this process has locked. Renamed first, since another process may open a file in it, and
 * unlocked before it is removed, since NFS keeps open files.
 */
async function removeLocked(path: string, file: FileHandle): Promise<void> {
  const gone = `${path}.gone`;
  try {
    await rm(gone, { recursive: true, force: true });
    await rename(path, gone);
  } finally {
    await file.close();
  }
  await rm(gone, { recursive: true, force: true });
}

export function pushDirectories(staging: string, locks: Locks = { canLock, lockFile }): PushDirectories {
  const pathOf = (operationId: string) => join(staging, `${operationId}.push`);

  /** Makes the directory of a push; returns null when a sweep has taken it for one of a dead process. */
  const tryCreate = async (path: string): Promise<FileHandle | null> => {
    await mkdir(path, { recursive: true });
    const file = await lock(locks, path, waitSeconds);
    if (file) await syncDirectory(staging);
    return file;
  };

  /** Removes an entry of staging that a dead process has left, as far as `removable` returns its operation. */
  const clearOne = async (name: string, removable: Parameters<PushDirectories['clear']>[0]): Promise<void> => {
    const [, id, gone] = namePattern.exec(name) ?? [];
    if (gone !== undefined) await rm(join(staging, name), { recursive: true, force: true });
    if (id === undefined || gone !== undefined) return;
    const file = await lock(locks, pathOf(id), 0);
    if (!file) return;
    // Only under the lock: before, the operation may not have begun yet.
    let found: readonly string[] = [];
    try {
      found = await removable([id]);
    } finally {
      if (found.length === 0) await file.close();
    }
    if (found.length > 0) await removeLocked(pathOf(id), file);
  };

  return {
    path: pathOf,
    async create(operationId) {
      const path = pathOf(operationId);
      for (let tries = 0; tries < triesMax; tries += 1) {
        const file = await tryCreate(path);
        if (file) return { path, remove: () => removeLocked(path, file), leave: () => file.close() };
      }
      throw new Error(`another process keeps ${path}`);
    },
    async clear(removable) {
      // Without locks, a worker cannot tell which process lives.
      if (!locks.canLock) return;
      let failed = 0;
      let cause: unknown;
      for (const name of await readdir(staging)) {
        await clearOne(name, removable).catch((error: unknown) => {
          failed += 1;
          cause = error;
        });
      }
      if (failed > 0) throw new Error(`${failed} directories of pushes could not be cleared`, { cause });
    },
  };
}

/** Runs a push with a directory of its own, which is removed unless another worker has to end the push. */
export async function withPushDirectory<T>(
  pushes: Pick<PushDirectories, 'create'>,
  operationId: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const directory = await pushes.create(operationId);
  let end: 'remove' | 'leave' = 'remove';
  try {
    return await work(directory.path);
  } catch (error) {
    // The worker that takes the operation over needs what has arrived.
    if (error instanceof OutcomeUnknownError) end = 'leave';
    throw error;
  } finally {
    // The sweeps remove what is left: a failure here changes nothing about the end of the push.
    await directory[end]().catch(() => {});
  }
}
