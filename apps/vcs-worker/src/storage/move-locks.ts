import { lockFile } from '@trunkline/runtime/concurrency';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../has-code.ts';
import { isUuid } from '../is-uuid.ts';

/**
 * Locks under which the attempts of an operation move its repository to the trash or back, one file for each operation.
 * An attempt checks its lease under the lock and moves then: one that was suspended in between either keeps later
 * attempts out until it has moved, or finds its lease gone.
 */
export interface MoveLocks {
  /** Locks the moves of an operation until the returned function is called. Throws when another process holds the lock. */
  acquire(operationId: string): Promise<() => Promise<void>>;
  /** Throws while an earlier attempt holds the lock: it may still move. */
  requireFree(operationId: string): Promise<void>;
  /** Lists the ids of the operations that have lock files. */
  operations(): Promise<string[]>;
  /** Removes the lock file of an operation that has ended. */
  remove(operationId: string): Promise<void>;
}

/** Timeout for the lock, in seconds: a move takes milliseconds, unless its process is suspended or the disk hangs. */
const waitSecondsMax = 3;

export function moveLocks(directory: string, waitSeconds = waitSecondsMax): MoveLocks {
  const pathOf = (operationId: string) => join(directory, operationId);

  /** Returns the inode of an operation's lock file; undefined when there is none. */
  const inodeOf = async (operationId: string) => {
    const found = await stat(pathOf(operationId)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    return found?.ino;
  };

  const acquireFile = async (operationId: string) => {
    const file = await open(pathOf(operationId), 'a');
    try {
      if (!(await lockFile(file, waitSeconds))) {
        throw new Error(`an earlier attempt at operation ${operationId} may still move its repository`);
      }
      // The former holder may have removed the file from its path.
      if ((await inodeOf(operationId)) === (await file.stat()).ino) return file;
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return null;
  };

  const acquire: MoveLocks['acquire'] = async (operationId) => {
    for (;;) {
      const file = await acquireFile(operationId);
      if (!file) continue;
      return async () => {
        // Removed while it is locked: a process that waits for it then opens a new file.
        await rm(pathOf(operationId), { force: true });
        await file.close();
      };
    }
  };

  return {
    acquire,
    async requireFree(operationId) {
      if ((await inodeOf(operationId)) !== undefined) await (await acquire(operationId))();
    },
    operations: async () => (await readdir(directory)).filter(isUuid),
    remove: (operationId) => rm(pathOf(operationId), { force: true }),
  };
}
