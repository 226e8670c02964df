import { BusyError } from '@trunkline/contracts';
import { withTimeout } from './with-timeout.ts';

/** Asks, unless too many answers are awaited; UnavailableError when none comes in time. */
export type Bulkhead = <T>(ask: () => Promise<T>) => Promise<T>;

/** A database that is frozen keeps its connections and answers nothing: nobody waits for it for ever. */
export function createBulkhead({ waitingMax, waitMsMax }: { waitingMax: number; waitMsMax: number }): Bulkhead {
  let waiting = 0;
  return async (ask) => {
    if (waiting >= waitingMax) throw new BusyError();
    waiting += 1;
    return withTimeout(
      ask().finally(() => (waiting -= 1)),
      waitMsMax,
    );
  };
}
