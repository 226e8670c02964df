import type { CallMetrics } from '@trunkline/runtime';
import { Gauge } from 'prom-client';
import type { Vcs } from '../vcs/create-vcs.ts';

/** Registers metrics of the memory of all hg and git processes of this worker. */
export function observeChildMemory(registry: CallMetrics['registry'], read: Vcs['childMemory']): void {
  const used = new Gauge({
    name: 'trunkline_child_memory_bytes',
    help: 'Memory of all hg and git processes of this worker, as measured last',
    registers: [],
    collect() {
      this.set(read().usedBytes);
    },
  });
  const max = new Gauge({
    name: 'trunkline_child_memory_max_bytes',
    help: 'Budget of that memory, above which no process starts',
    registers: [],
    collect() {
      this.set(read().bytesMax);
    },
  });
  registry.registerMetric(used);
  registry.registerMetric(max);
}
