import type { Lane } from '@trunkline/contracts';
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
  const database = createProbe(pingDatabase, timeoutMs);
  const connection = createProbe(() => bus.flush(), timeoutMs);
  return async () => {
    if (isStopping()) return ['stopping'];
    const [hasDatabase, hasBus] = await Promise.all([database(), connection()]);
    return [
      ...(hasDatabase ? [] : ['database']),
      ...(hasBus ? [] : ['bus']),
      ...unsubscribedLanes().map((lane) => `lane ${lane}`),
      ...(hasDataPort() ? [] : ['data port']),
    ];
  };
}
