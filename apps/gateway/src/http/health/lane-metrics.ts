import type { CallMetrics } from '@trunkline/runtime';
import { Gauge } from 'prom-client';
import type { Readiness } from './readiness.ts';

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
