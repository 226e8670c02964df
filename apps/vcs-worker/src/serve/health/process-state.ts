import type { Lane } from '@trunkline/contracts';
import { missingDatabase } from '@trunkline/db';
import { answerStateRequests, type Bus, createProbe, type ProcessIdentity, processState } from '@trunkline/runtime';
import type { LaneSlots } from '../admission/lane-slots.ts';
import type { RepositoryService } from '../../repository-service.ts';
import type { Connections } from '../../connections.ts';

const timeoutMs = 1_000;

interface ReadinessTools {
  readonly pingDatabase: () => Promise<unknown>;
  readonly bus: Pick<Bus, 'flush'>;
  readonly unsubscribedLanes: () => readonly Lane[];
  /** Returns whether the data port takes connections; true for a worker without one. */
  readonly hasDataPort: () => boolean;
  readonly isStopping: () => boolean;
}

/** Returns a check that names what this worker lacks to answer calls: connections, subscriptions of its lanes, data port. */
export function createReadiness({
  pingDatabase,
  bus,
  unsubscribedLanes,
  hasDataPort,
  isStopping,
}: ReadinessTools): () => Promise<readonly string[]> {
  const database = createProbe(pingDatabase, timeoutMs, missingDatabase);
  const connection = createProbe(
    () => bus.flush(),
    timeoutMs,
    () => 'bus',
  );
  return async () => {
    if (isStopping()) return ['stopping'];
    const servers = await Promise.all([database(), connection()]);
    return [
      ...servers.filter((name) => name !== null),
      ...unsubscribedLanes().map((lane) => `lane ${lane}`),
      ...(hasDataPort() ? [] : ['data port']),
    ];
  };
}

interface PublishedState {
  readonly identity: ProcessIdentity;
  readonly lanes: readonly { readonly lane: string; readonly slots: Pick<LaneSlots, 'size' | 'held'> }[];
  readonly repositoryService: Pick<RepositoryService, 'tools'> | null;
}

/** Publishes what this worker does at the moment whenever a gateway asks. */
export function publishState(
  { bus, vault, running }: Pick<Connections, 'bus' | 'vault' | 'running'>,
  { identity, lanes, repositoryService }: PublishedState,
): void {
  const read = () =>
    processState(identity, running, {
      lanes: lanes.map(({ lane, slots }) => ({ lane, slots: slots.size, busy: slots.held })),
      storages: [...(repositoryService?.tools.storages.names ?? [])],
      childMemoryBytes: repositoryService?.tools.children().usedBytes ?? null,
    });
  answerStateRequests({ bus, vault, read });
}
