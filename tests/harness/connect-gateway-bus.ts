import { gatewayInboxes } from '@trunkline/contracts';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import type { Cluster } from './cluster.ts';

/** Connects to the bus of a cluster as its gateways do: other NATS users do not receive the workers' replies. */
export async function connectGatewayBus({ nats }: Pick<Cluster, 'nats'>): Promise<Bus> {
  const logger = createLogger({ role: 'test', level: 'silent' });
  return connectBus({ url: nats.gatewayUrl, name: 'test', inboxPrefix: gatewayInboxes, logger });
}
