import { observeGauge, type CallMetrics } from '@trunkline/runtime';
import type { LaneSlots } from './lane-slots.ts';

type Figures = Pick<LaneSlots, 'size' | 'held' | 'waiting'>;

/** Registers metrics of the slots of each lane, by which operators scale workers. */
export function observeSlots(
  registry: CallMetrics['registry'],
  lanes: readonly { readonly lane: string; readonly slots: Figures }[],
): void {
  const ofLanes = (name: string, help: string, figure: keyof Figures) =>
    observeGauge(registry, {
      name,
      help,
      labels: ['lane'],
      read: () => lanes.map(({ lane, slots }) => ({ labels: { lane }, value: slots[figure] })),
    });
  ofLanes('trunkline_lane_slots', 'Maximum number of calls that run at once in a lane', 'size');
  ofLanes('trunkline_lane_slots_busy', 'Number of calls that are running in a lane', 'held');
  ofLanes('trunkline_lane_calls_waiting', 'Number of calls that wait for a slot of a lane', 'waiting');
}
