import type { Lane } from '@trunkline/contracts';
import { createProbe, type Bus } from '@trunkline/runtime';

const timeoutMs = 1_000;

interface ReadinessTools {
  readonly pingDatabase: () => Promise<unknown>;
  readonly bus: Pick<Bus, 'flush'>;
  readonly unsubscribedLanes: () => readonly Lane[];
  readonly isStopping: () => boolean;
}

/** Returns a check that names what this worker lacks to answer calls: connections, and subscriptions of its lanes. */
export function createReadiness({
  pingDatabase,
  bus,
  unsubscribedLanes,
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
    ];
  };
}
