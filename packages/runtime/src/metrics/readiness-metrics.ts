import type { Registry } from 'prom-client';
import { observeGauge } from './observe.ts';

/** Registers what the process lacks to do its work, as it answers at `/readyz`; checked at each scrape. */
export function observeReadiness(registry: Registry, missing: () => Promise<readonly string[]>): void {
  observeGauge(registry, {
    name: 'trunkline_ready',
    help: '1 while the process has all that it needs to answer calls, else 0',
    read: async () => [{ value: (await missing()).length === 0 ? 1 : 0 }],
  });
  observeGauge(registry, {
    name: 'trunkline_dependency_answers',
    help: '1 while the dependency answers the process within a second, else 0',
    labels: ['dependency'],
    read: async () => {
      const absent = await missing();
      return ['database', 'bus'].map((dependency) => ({
        labels: { dependency },
        value: absent.some((name) => name === dependency || name.startsWith(`${dependency} (`)) ? 0 : 1,
      }));
    },
  });
}
