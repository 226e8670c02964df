import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.ts';

/** Returns when a process that gets SIGSTOP stands still, which is some time after the signal was sent. */
export async function standsStill(pid: number): Promise<void> {
  await eventually(
    () => readFile(`/proc/${pid}/stat`, 'utf8'),
    (stat) => /\) T /.test(stat),
  );
}

/** Suspends a process, and returns when it stands still. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await standsStill(pid);
}
