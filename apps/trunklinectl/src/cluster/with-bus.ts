import { gatewayInboxes, subjects } from '@trunkline/contracts';
import { BusProbeError, connectBus, createLogger, probeBus, type Bus } from '@trunkline/runtime';
import { RefusedError, UnreachableError } from '../errors.ts';

const needed = { publish: [subjects.stateRequest], subscribe: [subjects.stateAnswer] };

/** Runs `act` with the bus, as a user who may ask processes for their state; throws, with one sentence, for others. */
export async function withBus<T>(url: string, act: (bus: Bus) => Promise<T>): Promise<T> {
  // The bus is connected to without a time limit: whether it answers is found before.
  const { refused } = await probeBus(url, needed).catch((error: unknown) => {
    throw error instanceof BusProbeError ? new UnreachableError(error.message, { cause: error }) : error;
  });
  if (refused.length > 0) {
    throw new RefusedError(
      'The user of TRUNKLINE_NATS_URL may not ask processes for their state: use the settings of a gateway',
    );
  }
  const logger = createLogger({ role: 'trunklinectl', level: 'silent' });
  const bus = await connectBus({ url, name: 'trunklinectl', inboxPrefix: gatewayInboxes, logger });
  try {
    return await act(bus);
  } finally {
    await bus.close();
  }
}
