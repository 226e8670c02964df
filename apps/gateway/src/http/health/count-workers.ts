import { subjects } from '@trunkline/contracts';
import { BusError, type Bus } from '@trunkline/runtime';

const windowMs = 250;

/** Returns the number of workers that serve a storage; null while the bus does not answer. */
export type CountWorkers = (storage: string) => Promise<number | null>;

/** Counts the workers of a storage that answer a ping at once; one that is paused is not counted. */
export function workerCounter(bus: Pick<Bus, 'requestAll'>): CountWorkers {
  return async (storage) => {
    const workers = new Set<string>();
    const count = (payload: Uint8Array) => void workers.add(Buffer.from(payload).toString());
    try {
      await bus.requestAll(subjects.ping('storage', storage), new Uint8Array(), windowMs, count);
      return workers.size;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return error.reason === 'no-responders' ? 0 : null;
    }
  };
}
