import { BusProbeError, connectBus, createLogger, probeBus, type Bus } from '@trunkline/runtime';
import { RefusedError, UnreachableError } from '../errors.ts';

/** What a user of the bus has to be allowed, and how to say that this one is not. */
export interface BusNeeds {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Prefix of the subjects on which replies come. */
  readonly prefix: string;
  readonly refusal: string;
}

/** Runs `act` with the bus, as a user who may do what it needs; throws, with one sentence, for others. */
export async function withBus<T>(url: string, needs: BusNeeds, act: (bus: Bus) => Promise<T>): Promise<T> {
  // The bus is connected to without a time limit: whether it answers is found before.
  const { refused } = await probeBus(url, needs).catch((error: unknown) => {
    throw error instanceof BusProbeError ? new UnreachableError(error.message, { cause: error }) : error;
  });
  if (refused.length > 0) throw new RefusedError(`The user of TRUNKLINE_NATS_URL ${needs.refusal}`);
  const logger = createLogger({ role: 'trunklinectl', level: 'silent' });
  const bus = await connectBus({ url, name: 'trunklinectl', inboxPrefix: needs.prefix, logger });
  try {
    return await act(bus);
  } finally {
    await bus.close();
  }
}
