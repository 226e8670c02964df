import { laneNames, subjects, type Lane } from '@trunkline/contracts';
import { BusError, type Bus } from '@trunkline/runtime';

const pingTimeoutMs = 300;
/** Number of unanswered pings that make a lane unserved; for a single one, worker or bus may be busy for a moment. */
const pingsMax = 3;

/** A lane and, unless it is the lane `metadata`, the storage whose workers serve it. */
export interface ServedLane {
  readonly lane: Lane;
  readonly storage: string | null;
}

/** Returns all lanes that workers are to serve: `metadata`, and each other lane once for each storage. */
export function lanesOf(storages: readonly string[]): ServedLane[] {
  return laneNames.flatMap((lane): ServedLane[] =>
    lane === 'metadata' ? [{ lane, storage: null }] : storages.map((storage) => ({ lane, storage })),
  );
}

/** Returns whether any worker answers a ping on the lane; each ping goes to all workers that serve the lane. */
async function isServed(bus: Pick<Bus, 'request'>, { lane, storage }: ServedLane): Promise<boolean> {
  for (let pings = 0; pings < pingsMax; pings += 1) {
    try {
      await bus.request(subjects.ping(lane, storage), new Uint8Array(), pingTimeoutMs);
      return true;
    } catch (error) {
      if (!(error instanceof BusError && error.reason === 'timeout')) return false;
    }
  }
  return false;
}

/** Returns those of the lanes on which no worker answers. */
export async function findUnservedLanes(
  bus: Pick<Bus, 'request'>,
  lanes: readonly ServedLane[],
): Promise<ServedLane[]> {
  const found = await Promise.all(lanes.map(async (one) => ((await isServed(bus, one)) ? [] : [one])));
  return found.flat();
}

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
