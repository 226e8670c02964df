import {
  type Bus,
  BusProbeError,
  type ClusterState,
  connectBus,
  createClusterState,
  createLogger,
  probeBus,
} from '@trunkline/runtime';
import { gatewayInboxes, subjects } from '@trunkline/contracts';
import { type Database, listProcesses, repositories, type SecretVault, storages } from '@trunkline/db';
import { count, eq, notInArray } from 'drizzle-orm';
import { RefusedError, UnreachableError } from './errors.ts';
import type { ProcessConfig } from './config.ts';
import { vaultOf } from './with-database.ts';

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

export interface StorageRow {
  readonly name: string;
  readonly state: string;
  readonly repositories: number;
  readonly capacityBytes: number | null;
  readonly freeBytes: number | null;
}

/** Reads the storages with what gateways, too, may read of them. */
export async function readStorageRows(db: Database): Promise<readonly StorageRow[]> {
  const { name, state, capacityBytes, freeBytes } = storages;
  return db
    .select({ name, state, capacityBytes, freeBytes, repositories: count(repositories.id) })
    .from(storages)
    .leftJoin(repositories, eq(repositories.storageId, storages.id))
    .groupBy(storages.id)
    .orderBy(storages.name);
}
