import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { VcsError } from '../vcs-error.ts';

const flock = '/usr/bin/flock';
const hasFlock = existsSync(flock);

/** Timeout for the lock, in seconds: a worker that has lost its lease needs time to kill its git and hg processes. */
const waitSeconds = 3;

/**
 * Trunkline's own lock file, since those of git and Mercurial are removed after an interrupted write; empty, never
 * deleted.
 */
const fileName = 'trunkline.writer';

/**
 * Keeps every other worker from writing in a directory until the returned function is called. The kernel keeps the lock
 * while this process is suspended, and releases it when the process dies. Without /usr/bin/flock nothing is locked.
 * Throws VcsError `failed` when another process holds the lock for longer than the timeout.
 */
export async function acquireWriteLock(directory: string): Promise<() => Promise<void>> {
  if (!hasFlock) return async () => {};
  const file = await open(join(directory, fileName), 'a');
  try {
    // The lock belongs to the open file, which flock inherits as file descriptor 3, and outlives the flock process.
    const args = ['--exclusive', '--wait', String(waitSeconds), '3'];
    const [code]: unknown[] = await once(
      spawn(flock, args, { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', file.fd] }),
      'exit',
    );
    if (code !== 0) throw new VcsError('failed', `another process still writes in ${directory}`);
  } catch (error) {
    await file.close();
    throw error;
  }
  return () => file.close();
}
