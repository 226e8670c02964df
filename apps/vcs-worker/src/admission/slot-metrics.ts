import type { CallMetrics } from '@trunkline/runtime';
import { Gauge } from 'prom-client';
import type { LaneSlots } from './lane-slots.ts';

/** Registers metrics of the slots of each lane, all and busy, by which operators scale workers. */
export function observeSlots(
  registry: CallMetrics['registry'],
  lanes: readonly { readonly lane: string; readonly slots: LaneSlots }[],
): void {
  const size = new Gauge({
    name: 'trunkline_lane_slots',
    help: 'Maximum number of calls that run at once in a lane',
    labelNames: ['lane'],
    registers: [],
    collect() {
      for (const { lane, slots } of lanes) this.set({ lane }, slots.size);
    },
  });
  const busy = new Gauge({
    name: 'trunkline_lane_slots_busy',
    help: 'Number of calls that are running in a lane',
    labelNames: ['lane'],
    registers: [],
    collect() {
      for (const { lane, slots } of lanes) this.set({ lane }, slots.held);
    },
  });
  registry.registerMetric(size);
  registry.registerMetric(busy);
}
