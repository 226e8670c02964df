import type { CallMetrics } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';
import type { OperationKind } from '../operations/claimed-operation.ts';
import { failureReason } from './failure-reason.ts';
import type { Storages } from '../storage/storages.ts';

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
  const free = new Gauge({
    name: 'trunkline_storage_free_bytes',
    help: 'Free space of the storage',
    labelNames: ['storage'],
    registers: [],
    collect() {
      this.reset();
      for (const { storage, watch } of storages.all) {
        if (watch.last?.freeBytes != null) this.set({ storage: storage.name }, watch.last.freeBytes);
      }
    },
  });
  registry.registerMetric(ok);
  registry.registerMetric(free);
}

export interface FailureMetrics {
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
  const unreadable = new Counter({
    name: 'trunkline_unreadable_answers_total',
    help: 'Calls that failed because a repository could not be read',
    labelNames: ['type'],
    registers: [registry],
  });
  return {
    operationFailed: (kind, error) => failed.inc({ kind, reason: failureReason(error) }),
    repositoryUnreadable: (type) => unreadable.inc({ type }),
  };
}
