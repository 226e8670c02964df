import { operationKinds } from '@trunkline/db';
import { latencyBuckets, observeGauge, type CallMetrics } from '@trunkline/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { OperationKind } from '../../jobs/operations/claimed-operation.ts';
import { failureReason, failureReasons } from './failure-reason.ts';
import type { Storages } from '../../storage/storages.ts';

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

export interface FailureMetrics {
  operationDone(kind: OperationKind, seconds: number): void;
  operationFailed(kind: OperationKind, error: unknown): void;
  repositoryUnreadable(type: 'hg' | 'git'): void;
}

/** Creates the counters of failed operations and unreadable repositories. */
export function createFailureMetrics(registry: Registry): FailureMetrics {
  const failed = new Counter({
    name: 'trunkline_operations_failed_total',
    help: 'Recorded operations that failed',
    labelNames: ['kind', 'reason'],
    registers: [registry],
  });
  const done = new Histogram({
    name: 'trunkline_operation_seconds',
    help: 'Time of the attempts with which operations have succeeded',
    labelNames: ['kind'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const unreadable = new Counter({
    name: 'trunkline_unreadable_answers_total',
    help: 'Calls that failed because a repository could not be read',
    labelNames: ['type'],
    registers: [registry],
  });
  // From the beginning, so that the first failure is a change.
  for (const kind of operationKinds) for (const reason of failureReasons) failed.inc({ kind, reason }, 0);
  for (const type of ['hg', 'git']) unreadable.inc({ type }, 0);
  return {
    operationDone: (kind, seconds) => done.observe({ kind }, seconds),
    operationFailed: (kind, error) => failed.inc({ kind, reason: failureReason(error) }),
    repositoryUnreadable: (type) => unreadable.inc({ type }),
  };
}
