import type { CopyAction } from '@trunkline/contracts';
import type { CallMetrics } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';

export interface CopyMetrics {
  /** Counts an action that has ended. */
  ended(action: CopyAction['kind'], outcome: 'done' | 'failed'): void;
}

const actionKinds: readonly CopyAction['kind'][] = ['begin', 'send', 'check', 'publish'];

/** Registers metrics of what workers of other storages have asked: by action and outcome, and how much is under way. */
export function createCopyMetrics(
  registry: CallMetrics['registry'],
  permits: Readonly<Record<string, { readonly held: number }>>,
): CopyMetrics {
  const actions = new Counter({
    name: 'trunkline_copy_actions_total',
    help: 'Ended actions of copies from other storages',
    labelNames: ['action', 'outcome'],
    registers: [],
  });
  // From the beginning, so that the first failure is a change.
  for (const action of actionKinds) {
    for (const outcome of ['done', 'failed']) actions.inc({ action, outcome }, 0);
  }
  const open = new Gauge({
    name: 'trunkline_copy_actions_open',
    help: 'Actions of copies from other storages that are under way',
    labelNames: ['length'],
    registers: [],
    collect() {
      for (const [length, { held }] of Object.entries(permits)) this.set({ length }, held);
    },
  });
  registry.registerMetric(actions);
  registry.registerMetric(open);
  return { ended: (action, outcome) => actions.inc({ action, outcome }) };
}
