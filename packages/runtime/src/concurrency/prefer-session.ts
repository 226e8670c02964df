import { writeFileSync } from 'node:fs';

/**
 * Has the session of this process, with all that runs in it, go before other sessions by so many steps of nice values, 0 to
 * 20, where Linux schedules each session as one ("autogroup" of sched(7)). Returns false where it does not, and without the
 * right to do that (CAP_SYS_NICE).
 */
export function preferSession(steps: number): boolean {
  try {
    writeFileSync('/proc/self/autogroup', String(-steps), { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}
