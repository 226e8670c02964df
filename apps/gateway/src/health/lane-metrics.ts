import { laneNames } from '@trunkline/contracts';
import type { CallMetrics } from '@trunkline/runtime';
import { Gauge } from 'prom-client';
import type { Readiness } from './readiness.ts';

/** Registers the gauge `trunkline_lane_served`: whether a worker answers on each lane, checked at each scrape. */
export function observeLanes(registry: CallMetrics['registry'], readiness: () => Promise<Readiness>): void {
  const served = new Gauge({
    name: 'trunkline_lane_served',
    help: '1 if a worker answers this gateway on the lane, else 0; absent while the bus does not answer',
    labelNames: ['lane'],
    registers: [],
    async collect() {
      const { unserved } = await readiness();
      this.reset();
      if (!unserved) return;
      for (const lane of laneNames) this.set({ lane }, unserved.includes(lane) ? 0 : 1);
    },
  });
  registry.registerMetric(served);
}
