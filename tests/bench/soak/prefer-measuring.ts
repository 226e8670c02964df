import { preferSession } from '@trunkline/runtime/concurrency';
import { say } from '../median.ts';

/**
 * Has the session of this process go before the others, where root may do that on Linux ("autogroup" of sched(7)): what is
 * measured is the service, not how long its client waits for a core that real clients have for themselves.
 */
export function preferMeasuring(): void {
  say('the measuring process goes before the others', { preferred: preferSession(10) ? 1 : 0 });
}
