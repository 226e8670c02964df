import { mkdtemp, readdir, rm } from 'node:fs/promises';
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

/** Makes a private directory for this process, and removes the directories that dead workers left behind. */
export async function makeRuntimeDir(parent = tmpdir()): Promise<string> {
  for (const entry of await readdir(parent)) {
    const pid = entry.startsWith(prefix) ? Number.parseInt(entry.slice(prefix.length), 10) : Number.NaN;
    // Another user's directory stays: only that user's worker can remove it.
    if (pid > 0 && !isAlive(pid)) await rm(join(parent, entry), { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}
