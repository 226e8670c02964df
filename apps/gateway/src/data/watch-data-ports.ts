import { randomUUID } from 'node:crypto';
import { decodeDataOffer, subjects, type DataOffer } from '@trunkline/contracts';
import { BusError, checkDataPort, DataError, type Bus, type DataClient, type Logger } from '@trunkline/runtime';
import { LRUCache } from 'lru-cache';

const everyMs = 60_000;
/** Time for workers to answer. */
const windowMs = 5_000;
const addressesMax = 1_000;

export interface DataPortWatchTools {
  readonly bus: Pick<Bus, 'requestAll' | 'onReconnect'>;
  readonly client: Pick<DataClient, 'isSigned' | 'transfer'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Asks all workers for their data ports, at once, every minute and after a reconnection of the bus, and checks those
 * that have not been reached yet. Logs once in words when a port cannot be reached, and when it can be.
 */
export function watchDataPorts({ bus, client, logger }: DataPortWatchTools): { stop(): void } {
  const states = new LRUCache<string, 'reached' | 'checking' | 'unreachable'>({ max: addressesMax });

  let isForgeryKnown = false;

  const take = async (offer: DataOffer, requestId: string): Promise<void> => {
    const { address } = offer;
    if (!client.isSigned(offer, requestId)) {
      // Its address is not to be believed either.
      if (!isForgeryKnown) logger.warn(`a data port cannot be used: ${new DataError('forged').message}`);
      isForgeryKnown = true;
      return;
    }
    const former = states.get(address);
    if (former === 'reached' || former === 'checking') return;
    states.set(address, 'checking');
    try {
      await checkDataPort(client, offer, requestId);
      states.set(address, 'reached');
      logger.info({ address }, 'data port of a worker reached');
    } catch (error) {
      states.set(address, 'unreachable');
      if (former === 'unreachable') return;
      const why = error instanceof DataError ? error.message : 'it does not answer as a data port';
      logger.warn({ address, err: error }, `the data port of a worker cannot be reached: ${why}`);
    }
  };

  const ask = async (): Promise<void> => {
    const requestId = randomUUID();
    try {
      await bus.requestAll(subjects.dataPorts, Buffer.from(requestId), windowMs, (payload) => {
        const offer = decodeDataOffer(payload);
        if (offer) void take(offer, requestId);
      });
    } catch (error) {
      // Without a worker, or without the bus, there is nothing to check.
      if (!(error instanceof BusError)) throw error;
    }
  };

  bus.onReconnect(() => void ask());
  const timer = setInterval(() => void ask(), everyMs);
  void ask();
  return { stop: () => clearInterval(timer) };
}
