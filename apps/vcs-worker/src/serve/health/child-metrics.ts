import { observeCounter, observeGauge, type CallMetrics } from '@trunkline/runtime';
import type { Vcs } from '../../vcs/create-vcs.ts';

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
