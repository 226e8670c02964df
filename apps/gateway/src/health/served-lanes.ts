import { laneNames, subjects, type Lane } from '@trunkline/contracts';
import { BusError, type Bus } from '@trunkline/runtime';

const pingTimeoutMs = 300;
/** Number of unanswered pings that make a lane unserved; for a single one, worker or bus may be busy for a moment. */
const pingsMax = 3;

/** Returns whether any worker answers a ping on the lane; each ping goes to all workers that serve the lane. */
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

/** Returns the lanes on which no worker answers. */
export async function findUnservedLanes(bus: Pick<Bus, 'request'>): Promise<Lane[]> {
  const found = await Promise.all(laneNames.map(async (lane) => ((await isServed(bus, lane)) ? [] : [lane])));
  return found.flat();
}
