import { BusyError } from '@trunkline/contracts';
import type { FindCaller, KeyMacs, StoredCaller } from './caller-store.ts';
import { within } from './within.ts';

export interface LookUp {
  find(macs: KeyMacs): Promise<StoredCaller | undefined>;
  /** Whoever asks from now on gets an answer read from now on. */
  forget(): void;
}

/** Reads callers from the database: each key once at a time, with bounds on how many wait and for how long. */
export function createLookUp(
  findCaller: FindCaller,
  { waitingMax, waitMsMax }: { waitingMax: number; waitMsMax: number },
): LookUp {
  const flights = new Map<string, Promise<StoredCaller | undefined>>();
  let waiting = 0;

  const start = (macs: KeyMacs, name: string) => {
    if (waiting >= waitingMax) throw new BusyError();
    waiting += 1;
    const flight = findCaller(macs).finally(() => {
      waiting -= 1;
      if (flights.get(name) === flight) flights.delete(name);
    });
    flights.set(name, flight);
    return flight;
  };

  return {
    async find(macs) {
      const name = macs[0].toString('latin1');
      return within(flights.get(name) ?? start(macs, name), waitMsMax);
    },
    forget: () => flights.clear(),
  };
}
