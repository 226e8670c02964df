import { BusyError, UnavailableError } from '@trunkline/contracts';
import { Semaphore, withTimeout } from '@trunkline/runtime/concurrency';

/** Runs a query; throws BusyError when too many queries are pending, UnavailableError when the query takes too long. */
export type Bulkhead = <T>(ask: () => Promise<T>) => Promise<T>;

function throwTimeout(): never {
  throw new UnavailableError();
}

/** Bounds number and time of pending queries: a frozen database server keeps its connections and answers nothing. */
export function createBulkhead({ waitingMax, waitMsMax }: { waitingMax: number; waitMsMax: number }): Bulkhead {
  const queries = new Semaphore({ limit: waitingMax, refuse: () => new BusyError({ quota: 'queries' }) });
  // The permit is held until the query ends, also after its caller has received UnavailableError.
  return async (ask) => withTimeout(queries.run(ask), waitMsMax, throwTimeout);
}
