import { BusyError } from '@trunkline/contracts';
import { within } from './within.ts';

/** Asks, unless too many answers are awaited; UnavailableError when none comes in time. */
export type Bounded = <T>(ask: () => Promise<T>) => Promise<T>;

/** A database that is frozen keeps its connections and answers nothing: nobody waits for it for ever. */
export function createBounded({ waitingMax, waitMsMax }: { waitingMax: number; waitMsMax: number }): Bounded {
  let waiting = 0;
  return async (ask) => {
    if (waiting >= waitingMax) throw new BusyError();
    waiting += 1;
    return within(
      ask().finally(() => (waiting -= 1)),
      waitMsMax,
    );
  };
}
