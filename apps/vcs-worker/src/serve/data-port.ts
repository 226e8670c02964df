import { type CallMetrics, type DataServer, readDataServerOptions, startDataServer } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';
import { encodeError, encodeResult, InvalidRequestError, subjects } from '@trunkline/contracts';
import type { readWorkerConfig } from '../config.ts';
import type { Connections } from '../connections.ts';
import { isUuid } from '../is-uuid.ts';

/** Registers metrics of the data port: open transfers, bytes by direction, and requests without a valid ticket. */
function observeDataPort(registry: CallMetrics['registry'], server: Pick<DataServer, 'figures'>): void {
  const open = new Gauge({
    name: 'trunkline_data_transfers_open',
    help: 'Transfers over the data port that are under way',
    registers: [],
    collect() {
      this.set(server.figures.openTransfers);
    },
  });
  const bytes = new Counter({
    name: 'trunkline_data_bytes_total',
    help: 'Bytes received and sent over the data port',
    labelNames: ['direction'],
    registers: [],
    collect() {
      const { bytesIn, bytesOut } = server.figures;
      this.reset();
      this.inc({ direction: 'in' }, bytesIn);
      this.inc({ direction: 'out' }, bytesOut);
    },
  });
  const refused = new Counter({
    name: 'trunkline_data_requests_refused_total',
    help: 'Requests to the data port without a valid ticket',
    registers: [],
    collect() {
      this.reset();
      this.inc(server.figures.refused);
    },
  });
  for (const metric of [open, bytes, refused]) registry.registerMetric(metric);
}

/** Checks by gateways whose tickets may be open at once. */
const checksMax = 64;
const checkIdleMs = 5_000;
const uuidLength = 36;

/** The data port of a worker. */
export interface DataPort {
  readonly isListening: boolean;
  /** Offers one transfer to whoever sent a request. */
  readonly offer: DataServer['offer'];
  /** Ends with the last transfer, which may be offered until `callsEnded` has resolved; cuts it after `msMax`. */
  stop(msMax: number, callsEnded: Promise<unknown>): Promise<void>;
}

/** Starts the data port, and offers every gateway that asks a transfer by which it checks that it can reach the port. */
export async function startDataPort(
  config: ReturnType<typeof readWorkerConfig>,
  { bus, vault, logger, metrics }: Pick<Connections, 'bus' | 'vault' | 'logger' | 'metrics'>,
): Promise<DataPort> {
  const server = await startDataServer({ ...(await readDataServerOptions(config)), vault, logger });
  observeDataPort(metrics.registry, server);
  let checks = 0;
  const offerCheck = (requestId: string) => {
    const ended = () => (checks -= 1);
    const offer = server.offer(requestId, async ({ body }) => ({ body }), { idleMs: checkIdleMs, ended });
    // Not before, since an offer that is refused never ends.
    checks += 1;
    return offer;
  };
  // Without a queue group every worker answers.
  const service = bus.serve(subjects.dataPorts, {
    timeLimitMs: 1_000,
    isSilent: () => checks >= checksMax || !server.isListening,
    handle: async (payload) => {
      const requestId = Buffer.from(payload.subarray(0, uuidLength + 1)).toString();
      if (!isUuid(requestId)) return encodeError(new InvalidRequestError('The id of the request is malformed'));
      return encodeResult(offerCheck(requestId));
    },
  });
  logger.info({ address: server.address }, 'data port opened');
  return {
    get isListening() {
      return server.isListening;
    },
    offer: (...args) => server.offer(...args),
    async stop(msMax, callsEnded) {
      await Promise.all([service.drain(), server.stop(msMax, callsEnded)]);
    },
  };
}
