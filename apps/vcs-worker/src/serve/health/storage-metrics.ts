import { type CallMetrics, observeCounter, observeGauge } from '@trunkline/runtime';
import { Gauge } from 'prom-client';
import type { Storages } from '../../storage/storages.ts';
import type { Vcs } from '../../vcs/create-vcs.ts';
import type { EgressGuard } from '../../vcs/egress/egress-guard.ts';

type Registry = CallMetrics['registry'];

/** Registers metrics of the storages, with the values of this worker's last probes. */
export function observeStorages(registry: Registry, storages: Pick<Storages, 'all'>): void {
  const ok = new Gauge({
    name: 'trunkline_storage_ok',
    help: '1 if repositories can be written, else 0 with the reason',
    labelNames: ['storage', 'reason'],
    registers: [],
    collect() {
      // Otherwise the sample of the former reason would remain beside the new one.
      this.reset();
      for (const { storage, watch } of storages.all) {
        if (!watch.last) continue;
        const { state } = watch.last;
        this.set({ storage: storage.name, reason: state }, state === 'ok' ? 1 : 0);
      }
    },
  });
  registry.registerMetric(ok);
  const bytes = (name: string, help: string, figure: 'freeBytes' | 'totalBytes') =>
    observeGauge(registry, {
      name,
      help,
      labels: ['storage'],
      read: () =>
        storages.all.flatMap(({ storage, watch }) => {
          const value = watch.last?.[figure] ?? null;
          return value === null ? [] : [{ labels: { storage: storage.name }, value }];
        }),
    });
  bytes('trunkline_storage_free_bytes', 'Free space of the storage', 'freeBytes');
  bytes('trunkline_storage_size_bytes', 'Size of the file system of the storage', 'totalBytes');
}

/** Registers metrics of the hg and git processes of this worker. */
export function observeChildren(registry: CallMetrics['registry'], read: Vcs['children']): void {
  const figure = (key: keyof ReturnType<typeof read>) => () => [{ value: read()[key] }];
  observeGauge(registry, {
    name: 'trunkline_child_memory_bytes',
    help: 'Memory of all hg and git processes of this worker, as measured last',
    read: figure('usedBytes'),
  });
  observeGauge(registry, {
    name: 'trunkline_child_memory_max_bytes',
    help: 'Budget of that memory, above which no process starts',
    read: figure('bytesMax'),
  });
  observeGauge(registry, {
    name: 'trunkline_child_processes',
    help: 'Running hg and git processes of this worker, without those that they have started',
    read: figure('running'),
  });
  observeCounter(registry, {
    name: 'trunkline_child_processes_started_total',
    help: 'Started hg and git processes',
    read: figure('started'),
  });
  observeCounter(registry, {
    name: 'trunkline_child_processes_killed_total',
    help: 'Processes that were killed since all of them used more memory than the budget',
    read: figure('killed'),
  });
}

/** Registers metrics of the connections to remotes. */
export function observeEgress(registry: CallMetrics['registry'], guard: Pick<EgressGuard, 'figures'>): void {
  observeGauge(registry, {
    name: 'trunkline_egress_sessions_open',
    help: 'Imports, pulls and checks of remotes that may connect to their remotes now',
    read: () => [{ value: guard.figures.openSessions }],
  });
  observeCounter(registry, {
    name: 'trunkline_egress_received_bytes_total',
    help: 'Bytes that remotes have sent',
    read: () => [{ value: guard.figures.bytesReceived }],
  });
  observeCounter(registry, {
    name: 'trunkline_egress_failures_total',
    help: 'Imports, pulls and checks of remotes whose last connection has failed',
    labels: ['reason'],
    read: () =>
      Object.entries(guard.figures.failures).map(([reason, value]) => ({
        labels: { reason: reason.replaceAll(' ', '_') },
        value,
      })),
  });
}
