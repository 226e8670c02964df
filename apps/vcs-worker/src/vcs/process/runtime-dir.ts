import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';

const prefix = 'trunkline-worker-';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return hasCode(error, 'EPERM');
  }
}

/** Returns whether a path is a private directory of this user: others can plant anything in a shared parent. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
}

/** Makes a private directory for this process, and removes the directories that dead workers left behind. */
export async function makeRuntimeDir(parent = tmpdir()): Promise<string> {
  for (const entry of await readdir(parent)) {
    const pid = entry.startsWith(prefix) ? Number.parseInt(entry.slice(prefix.length), 10) : Number.NaN;
    const path = join(parent, entry);
    if (pid > 0 && !isAlive(pid) && (await isOurs(path))) await rm(path, { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}
