import { laneNames, subjects, type Lane } from '@trunkline/contracts';
import { BusError, type Bus } from '@trunkline/runtime';

const pingTimeoutMs = 300;
/** A single ping without an answer may be a busy moment of a worker, or of the bus. */
const pingsMax = 3;

/** Whether some worker answers on the lane; every worker that serves it is asked at once. */
async function isServed(bus: Pick<Bus, 'request'>, lane: Lane): Promise<boolean> {
  for (let pings = 0; pings < pingsMax; pings += 1) {
    try {
      await bus.request(subjects.ping(lane), new Uint8Array(), pingTimeoutMs);
      return true;
    } catch (error) {
      if (!(error instanceof BusError && error.reason === 'timeout')) return false;
    }
  }
  return false;
}

/** The lanes on which no worker answers. */
export async function findUnservedLanes(bus: Pick<Bus, 'request'>): Promise<Lane[]> {
  const found = await Promise.all(laneNames.map(async (lane) => ((await isServed(bus, lane)) ? [] : [lane])));
  return found.flat();
}
