import { writeFileSync } from 'node:fs';
import { say } from '../median.ts';

/** Returns false where Linux does not schedule each session as one ("autogroup" of sched(7)), or without CAP_SYS_NICE. */
function preferSession(): boolean {
  try {
    writeFileSync('/proc/self/autogroup', '-10', { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Has the session of this process go before the others, where root may do that on Linux: what is measured is the service,
 * not how long its client waits for a core that real clients have for themselves.
 */
export function preferMeasuring(): void {
  say('the measuring process goes before the others', { preferred: preferSession() ? 1 : 0 });
}
