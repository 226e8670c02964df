import { subjects } from '@trunkline/contracts';
import { BusError, type Bus } from '@trunkline/runtime';
import * as v from 'valibot';

const pingTimeoutMs = 500;

const WorkerId = v.pipe(v.string(), v.uuid());

/** Returns the id of the first worker of the lane `metadata` to answer a ping; null when none answers. */
export async function findWorker(bus: Pick<Bus, 'request'>): Promise<string | null> {
  try {
    const { payload } = await bus.request(subjects.ping('metadata', null), new Uint8Array(), pingTimeoutMs);
    if (!(payload instanceof Uint8Array)) return null;
    const id: unknown = JSON.parse(Buffer.from(payload).toString());
    return v.is(WorkerId, id) ? id : null;
  } catch (error) {
    if (error instanceof BusError || error instanceof SyntaxError) return null;
    throw error;
  }
}
