import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.ts';

/** Suspends a process, and returns when it stands still: the signal takes effect some time after it was sent. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(
    () => readFile(`/proc/${pid}/stat`, 'utf8'),
    (stat) => /\) T /.test(stat),
  );
}
