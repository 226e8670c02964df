import { missingDatabase } from '@trunkline/db';
import { createProbe, type Bus, type CallMetrics } from '@trunkline/runtime';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { Gauge } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { StorageDirectory } from '../dispatch/storage-directory.ts';
import { findUnservedLanes, lanesOf, type ServedLane } from './ping-workers.ts';

/** Name of the storage that is reported as unserved while the database knows none. */
const firstStorage = 'default';
const freshMs = 500;
const timeoutMs = 1_000;

export interface Readiness {
  /** What does not answer (`database`, with what its server says, `bus`, `lane metadata`); empty when the gateway is ready. */
  readonly missing: readonly string[];
  /** The lanes that workers are to serve: of the storages that the gateway knows. */
  readonly lanes: readonly ServedLane[];
  /** The lanes on which no worker answers; null when the bus does not answer, since that is then unknown. */
  readonly unserved: readonly ServedLane[] | null;
}

interface ReadinessTools {
  readonly pingDatabase: () => Promise<unknown>;
  readonly directory: Pick<StorageDirectory, 'all'>;
  readonly bus: Pick<Bus, 'flush' | 'request'>;
  readonly clock: Clock;
}

/**
 * Creates a check of database, bus and every lane of every storage at once, whose result callers share for half a second. Of the lanes,
 * only an unserved `metadata` makes a gateway unready: the others are unserved for every gateway, and the rest works.
 */
export function createReadiness({ pingDatabase, directory, bus, clock }: ReadinessTools): () => Promise<Readiness> {
  const database = createProbe(pingDatabase, timeoutMs, missingDatabase);
  const connection = createProbe(
    () => bus.flush(),
    timeoutMs,
    () => 'bus',
  );
  /** Returns the storages; none while the database has not answered since the start of the gateway. */
  const stored = () =>
    withTimeout(
      directory.all().catch(() => []),
      timeoutMs,
      () => [],
    );
  const check = async (): Promise<Readiness> => {
    // A lost storage has no workers, and needs none.
    const storages = (await stored()).filter(({ state }) => state !== 'lost');
    const names = storages.map(({ name }) => name);
    const lanes = lanesOf(names.length > 0 ? names : [firstStorage]);
    const [withoutDatabase, withoutBus, unserved] = await Promise.all([
      database(),
      connection(),
      findUnservedLanes(bus, lanes),
    ]);
    const missing = [withoutDatabase, withoutBus].filter((name) => name !== null);
    if (withoutBus !== null) return { missing, lanes, unserved: null };
    const hasMetadata = unserved.every(({ lane }) => lane !== 'metadata');
    return { missing: hasMetadata ? missing : [...missing, 'lane metadata'], lanes, unserved };
  };

  let last: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= freshMs) last = { at: clock.now(), readiness: check() };
    return last.readiness;
  };
}

/** Registers the gauge `trunkline_lane_served`: whether a worker answers on each lane of each storage, checked at each scrape. */
export function observeLanes(registry: CallMetrics['registry'], readiness: () => Promise<Readiness>): void {
  const served = new Gauge({
    name: 'trunkline_lane_served',
    help: '1 if a worker of the storage answers this gateway on the lane, else 0; absent while the bus does not answer',
    labelNames: ['lane', 'storage'],
    registers: [],
    async collect() {
      const { lanes, unserved } = await readiness();
      this.reset();
      if (!unserved) return;
      for (const one of lanes) {
        const { lane, storage } = one;
        this.set({ lane, storage: storage ?? '' }, unserved.includes(one) ? 0 : 1);
      }
    },
  });
  registry.registerMetric(served);
}
