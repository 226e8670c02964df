import {
  hasSpaceFor,
  probeStorage,
  unknownHealth,
  type Logger,
  type ProbedStorage,
  type StorageHealth,
} from '@trunkline/runtime';
import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';

export interface StorageHealthOptions extends ProbedStorage {
  readonly name: string;
  readonly probeEveryMs: number;
  readonly logger: Logger;
}

/** The state of the storage as this worker sees it. */
export interface StorageWatch {
  /** Result of the last probe; null until the first probe has ended. */
  readonly last: StorageHealth | null;
  /** Probes the storage unless the last probe is fresh. Never rejects, and resolves within a few seconds. */
  probe(): Promise<StorageHealth>;
  /** Returns whether the storage will not be full with as many bytes more; reads the sizes now, within a few seconds. */
  hasSpaceFor(bytes: number): Promise<boolean>;
}

const probeMsMax = 5_000;

/** Watches the storage, and logs each change of its state. */
export function watchStorage(options: StorageHealthOptions): StorageWatch {
  let last: StorageHealth | null = null;
  let probedAt = Number.NEGATIVE_INFINITY;
  const probes = new SingleFlight<StorageHealth>();

  const keep = (health: StorageHealth): StorageHealth => {
    if (health.state !== (last?.state ?? 'ok'))
      options.logger.warn({ storage: options.name, state: health.state }, 'the state of the storage has changed');
    last = health;
    return health;
  };

  let calls = 0;
  let answered = 0;
  const probe = async (call: number) => {
    const health = await probeStorage(options).catch(() => unknownHealth);
    // The late result of a probe of a hung disk says nothing about the disk now.
    if (call < answered) return last ?? health;
    answered = call;
    probedAt = performance.now();
    return keep(health);
  };
  const giveUp = () => {
    // The next call then probes anew as soon as the present probe has ended.
    answered = calls + 1;
    return keep(unknownHealth);
  };

  return {
    get last() {
      return last;
    },
    async hasSpaceFor(bytes) {
      return withTimeout(hasSpaceFor(options, bytes), probeMsMax, () => false);
    },
    async probe() {
      if (last && performance.now() - probedAt < options.probeEveryMs) return last;
      // A probe of a hung disk does not end.
      return withTimeout(
        probes.run('probe', () => probe((calls += 1))),
        probeMsMax,
        giveUp,
      );
    },
  };
}
