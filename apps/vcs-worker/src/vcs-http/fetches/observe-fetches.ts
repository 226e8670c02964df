import type { CallMetrics } from '@trunkline/runtime';
import { Counter } from 'prom-client';
import type { FetchCounts } from './fetch-counts.ts';

/** Registers the metric of clones and fetches. */
export function observeFetches(registry: CallMetrics['registry'], { figures }: Pick<FetchCounts, 'figures'>): void {
  registry.registerMetric(
    new Counter({
      name: 'trunkline_client_fetches_total',
      help: 'Answers that brought changesets to clients of git and Mercurial, by users or without a login',
      labelNames: ['system', 'caller'],
      registers: [],
      collect() {
        this.reset();
        for (const system of ['git', 'hg'] as const) {
          for (const caller of ['user', 'anonymous'] as const) this.inc({ system, caller }, figures[system][caller]);
        }
      },
    }),
  );
}
