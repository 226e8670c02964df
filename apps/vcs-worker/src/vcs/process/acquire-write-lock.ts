import { lockFile } from '@trunkline/runtime/concurrency';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { VcsError } from '../vcs-error.ts';

/** Timeout for the lock, in seconds: a worker that has lost its lease needs time to kill its git and hg processes. */
const waitSeconds = 3;

/**
 * Trunkline's own lock file, since those of git and Mercurial are removed after an interrupted write; empty, never
 * deleted.
 */
export const writeLockName = 'trunkline.writer';

/** Another process, which may be suspended, has the lock of a directory. */
export class WriteLockedError extends VcsError {
  constructor(directory: string) {
    super('failed', `another process still writes in ${directory}`);
  }
}

/**
 * Keeps every other worker from writing in a directory until the returned function is called, as `lockFile` does.
 * Throws WriteLockedError when another process holds the lock for longer than the timeout.
 */
export async function acquireWriteLock(directory: string): Promise<() => Promise<void>> {
  const file = await open(join(directory, writeLockName), 'a');
  try {
    if (!(await lockFile(file, waitSeconds))) {
      throw new WriteLockedError(directory);
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return () => file.close();
}
