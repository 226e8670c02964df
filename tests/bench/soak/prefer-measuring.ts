import { writeFileSync } from 'node:fs';
import { say } from '../median.ts';

/**
 * Has the session of this process go before the others, where root may do that on Linux ("autogroup" of sched(7)): what is
 * measured is the service, not how long its client waits for a core that real clients have for themselves.
 */
export function preferMeasuring(): void {
  let preferred = 1;
  try {
    writeFileSync('/proc/self/autogroup', '-10', { flag: 'r+' });
  } catch {
    preferred = 0;
  }
  say('the measuring process goes before the others', { preferred });
}
