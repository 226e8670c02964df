import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Bulkhead } from './bulkhead.ts';
import type { FindCaller, KeyMacs, StoredCaller } from './caller-store.ts';

export interface LookUp {
  find(macs: KeyMacs): Promise<StoredCaller | undefined>;
  /** A caller who asks from now on gets an answer that was read from now on. */
  forget(): void;
}

/** Reads callers from the database: one query at a time for each key, within the bulkhead's bounds. */
export function createLookUp(findCaller: FindCaller, bulkhead: Bulkhead): LookUp {
  const flights = new SingleFlight<StoredCaller | undefined>();
  return {
    find: (macs) => flights.run(macs[0].toString('latin1'), () => bulkhead(() => findCaller(macs))),
    forget: () => flights.forget(),
  };
}
