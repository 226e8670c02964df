import { randomUUID } from 'node:crypto';
import { decodeDataOffer, subjects, type DataOffer } from '@trunkline/contracts';
import { BusError, checkDataPort, DataError, type Bus, type DataClient, type Logger } from '@trunkline/runtime';
import { LRUCache } from 'lru-cache';

const everyMs = 60_000;
/** Time for workers to answer. */
const windowMs = 5_000;
const addressesMax = 1_000;

interface DataPortWatchTools {
  readonly bus: Pick<Bus, 'requestAll' | 'onReconnect'>;
  readonly client: Pick<DataClient, 'isSigned' | 'transfer'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export interface DataPortWatch {
  /** Returns the addresses of workers' data ports that could not be reached when they were last checked. */
  unreachable(): string[];
  stop(): void;
}

/**
 * Asks all workers for their data ports, at once, every minute and after a reconnection of the bus, and checks them. Logs
 * once in words when a port cannot be reached, and when it can be.
 */
export function watchDataPorts({ bus, client, logger }: DataPortWatchTools): DataPortWatch {
  const states = new LRUCache<string, 'reached' | 'unreachable'>({ max: addressesMax });

  let isForgeryKnown = false;

  const take = async (offer: DataOffer, requestId: string): Promise<void> => {
    const { address } = offer;
    if (!client.isSigned(offer, requestId)) {
      // Its address is not to be believed either.
      if (!isForgeryKnown) logger.warn(`a data port cannot be used: ${new DataError('forged').message}`);
      isForgeryKnown = true;
      return;
    }
    try {
      await checkDataPort(client, offer, requestId);
      if (states.get(address) !== 'reached') logger.info({ address }, 'data port of a worker reached');
      states.set(address, 'reached');
    } catch (error) {
      if (states.get(address) === 'unreachable') return;
      states.set(address, 'unreachable');
      const why = error instanceof DataError ? error.message : 'it does not answer as a data port';
      logger.warn({ address, err: error }, `the data port of a worker cannot be reached: ${why}`);
    }
  };

  const ask = async (): Promise<void> => {
    const requestId = randomUUID();
    const offered = new Set<string>();
    try {
      await bus.requestAll(subjects.dataPorts, Buffer.from(requestId), windowMs, (payload) => {
        const offer = decodeDataOffer(payload);
        if (!offer) return;
        offered.add(offer.address);
        void take(offer, requestId);
      });
      // Their workers have stopped.
      for (const address of states.keys()) if (!offered.has(address)) states.delete(address);
    } catch (error) {
      // Without a worker, or without the bus, there is nothing to check.
      if (!(error instanceof BusError)) throw error;
    }
  };

  bus.onReconnect(() => void ask());
  const timer = setInterval(() => void ask(), everyMs);
  void ask();
  return {
    unreachable: () => [...states].flatMap(([address, state]) => (state === 'unreachable' ? [address] : [])),
    stop: () => clearInterval(timer),
  };
}
