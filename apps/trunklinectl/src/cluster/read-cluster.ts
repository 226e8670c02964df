import { gatewayInboxes, subjects } from '@trunkline/contracts';
import { listProcesses, storages, type Database, type SecretVault } from '@trunkline/db';
import { createClusterState, type Bus, type ClusterState } from '@trunkline/runtime';
import { notInArray } from 'drizzle-orm';
import type { ProcessConfig } from '../config.ts';
import { vaultOf } from '../with-database.ts';
import { withBus, type BusNeeds } from './with-bus.ts';

export const stateNeeds: BusNeeds = {
  publish: [subjects.stateRequest],
  subscribe: [subjects.stateAnswer],
  prefix: gatewayInboxes,
  refusal: 'may not ask processes for their state: use the settings of a gateway',
};

/** Asks all gateways and workers for their state, as the page about the cluster does. */
export function askProcesses(bus: Bus, vault: SecretVault, db: Database): Promise<ClusterState> {
  const ask = createClusterState({
    bus,
    vault,
    readOwn: null,
    listProcesses: () => listProcesses(db),
    listStorages: async () => {
      // The others have no workers, and need none.
      const isUsed = notInArray(storages.state, ['lost', 'offline']);
      const rows = await db.select({ name: storages.name }).from(storages).where(isUsed);
      return rows.map(({ name }) => name);
    },
  });
  return ask();
}

/** Connects to the bus and asks all gateways and workers for their state. */
export async function readCluster(config: ProcessConfig, db: Database): Promise<ClusterState> {
  return withBus(config.TRUNKLINE_NATS_URL, stateNeeds, (bus) => askProcesses(bus, vaultOf(config), db));
}
