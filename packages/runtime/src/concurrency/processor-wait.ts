import { readFileSync } from 'node:fs';

const nsPerMs = 1_000_000;

/**
 * Returns the milliseconds for which the main thread of this process was ready to run and waited for a core, since the
 * process began (sched_info of the Linux documentation of /proc); null where the system does not count them.
 */
export function processorWaitMs(): number | null {
  try {
    // The id of the main thread is that of the process.
    const wait = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1];
    return wait === undefined ? null : Number(wait) / nsPerMs;
  } catch {
    return null;
  }
}
