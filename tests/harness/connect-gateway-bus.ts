import { gatewayInboxes } from '@trunkline/contracts';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import type { Cluster } from './cluster.ts';

/** The bus of a cluster as its gateways have it: another user of the bus gets no replies of workers. */
export async function connectGatewayBus({ nats }: Pick<Cluster, 'nats'>): Promise<Bus> {
  const logger = createLogger({ role: 'test', level: 'silent' });
  return connectBus({ url: nats.gatewayUrl, name: 'test', inboxPrefix: gatewayInboxes, logger });
}
