import { BusyError, UnavailableError } from '@trunkline/contracts';
import { Semaphore, withTimeout } from '@trunkline/runtime/concurrency';

/** Runs a query unless too many are awaited; throws UnavailableError when the answer does not come in time. */
export type Bulkhead = <T>(ask: () => Promise<T>) => Promise<T>;

function late(): never {
  throw new UnavailableError();
}

/** Bounds the waits for a database that is frozen: such a server keeps its connections and answers nothing. */
export function createBulkhead({ waitingMax, waitMsMax }: { waitingMax: number; waitMsMax: number }): Bulkhead {
  const queries = new Semaphore({ limit: waitingMax, refuse: () => new BusyError() });
  // The permit is held until the query ends, also when nobody waits for it any longer.
  return async (ask) => withTimeout(queries.run(ask), waitMsMax, late);
}
