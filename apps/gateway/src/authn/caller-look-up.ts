import type { Bulkhead } from './bulkhead.ts';
import type { FindCaller, KeyMacs, StoredCaller } from './caller-store.ts';

export interface LookUp {
  find(macs: KeyMacs): Promise<StoredCaller | undefined>;
  /** Whoever asks from now on gets an answer read from now on. */
  forget(): void;
}

/** Reads callers from the database: each key once at a time, with bounds on how many wait and for how long. */
export function createLookUp(findCaller: FindCaller, bulkhead: Bulkhead): LookUp {
  const flights = new Map<string, Promise<StoredCaller | undefined>>();

  const start = (macs: KeyMacs, name: string) => {
    const flight = bulkhead(() => findCaller(macs)).finally(() => {
      if (flights.get(name) === flight) flights.delete(name);
    });
    flights.set(name, flight);
    return flight;
  };

  return {
    async find(macs) {
      const name = macs[0].toString('latin1');
      return flights.get(name) ?? start(macs, name);
    },
    forget: () => flights.clear(),
  };
}
