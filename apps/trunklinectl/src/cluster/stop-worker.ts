import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessState } from '@trunkline/contracts';
import { RefusedError } from '../errors.ts';

const lookMs = 200;

/** Returns whether a process runs a worker; what has ended has no command line any more. */
async function isWorker(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes('vcs-worker');
}

/**
 * Tells a worker of this machine to stop, as its supervisor does, and waits for its end: the worker bounds that itself by
 * TRUNKLINE_STOP_SECONDS.
 */
export async function stopWorker({ id, pid, host }: ProcessState): Promise<void> {
  // In containers, another process may have the number here.
  if (host !== hostname() || !(await isWorker(pid))) {
    throw new RefusedError(`worker ${id} runs as process ${pid} on ${host}: send SIGTERM to it there`);
  }
  try {
    process.kill(pid, 'SIGTERM');
  } catch (cause) {
    throw new RefusedError(`process ${pid} belongs to another user: run this as that user`, { cause });
  }
  while (await isWorker(pid)) await sleep(lookMs);
}
