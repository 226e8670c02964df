import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { VcsError } from '../vcs-error.ts';

const flock = '/usr/bin/flock';
const hasFlock = existsSync(flock);

/** Whoever has lost a repository kills what writes to it, which takes a moment. */
const waitSeconds = 3;

/** No lock file of git's or Mercurial's, which are broken when a write was cut off; it stays, and is empty. */
const fileName = 'trunkline.writer';

/**
 * Keeps every other worker from writing in a directory until what this answers is called. The kernel holds that lock for
 * this process, also while it stands still, and drops it when it dies. Where the system has no flock nothing is locked.
 */
export async function acquireWriteLock(directory: string): Promise<() => Promise<void>> {
  if (!hasFlock) return async () => {};
  const file = await open(join(directory, fileName), 'a');
  try {
    // The lock is that of the open file, which the command shares.
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
