import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Bulkhead } from './bulkhead.ts';
import type { FindCaller, KeyHmacs, StoredCaller } from './caller-store.ts';

export interface LookUp {
  find(hmacs: KeyHmacs): Promise<StoredCaller | undefined>;
  /** Detaches later look-ups from pending queries: each look-up after this call uses a query that begins after it. */
  forget(): void;
}

/** Reads callers from the database: one query at a time for each key, within the bulkhead's bounds. */
export function createLookUp(findCaller: FindCaller, bulkhead: Bulkhead): LookUp {
  const flights = new SingleFlight<StoredCaller | undefined>();
  return {
    find: (hmacs) => flights.run(hmacs[0].toString('latin1'), () => bulkhead(() => findCaller(hmacs))),
    forget: () => flights.forget(),
  };
}
