import type { Lane } from '@trunkline/contracts';
import { missingDatabase } from '@trunkline/db';
import { createProbe, type Bus } from '@trunkline/runtime';

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
