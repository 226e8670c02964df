import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const flock = '/usr/bin/flock';
/** Whether files can be locked on this machine. */
export const canLock = existsSync(flock);
/** Exit code of flock when another process has the lock. */
const lockedExitCode = 1;

/**
 * Locks an open file against every other process; returns false when another one keeps it locked for `waitSeconds`. The
 * kernel keeps the lock while this process is suspended, and releases it when the file is closed or the process dies.
 * Without /usr/bin/flock nothing is locked. Throws when the file system has no locks, or no more of them.
 */
export async function lockFile(file: FileHandle, waitSeconds: number): Promise<boolean> {
  if (!canLock) return true;
  // The lock belongs to the open file, which flock inherits as file descriptor 3, and outlives the flock process.
  const args = ['--exclusive', '--wait', String(waitSeconds), '3'];
  const [code]: unknown[] = await once(
    spawn(flock, args, { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', file.fd] }),
    'exit',
  );
  if (code !== 0 && code !== lockedExitCode) throw new Error(`flock ended with ${String(code)}`);
  return code === 0;
}
