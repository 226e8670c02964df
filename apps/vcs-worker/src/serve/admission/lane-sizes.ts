import type { Lane } from '@trunkline/contracts';
import { type CallMetrics, observeGauge } from '@trunkline/runtime';
import type { LaneSlots } from './lane-slots.ts';

export interface LaneSize {
  readonly slots: number;
  /** How many of the slots one repository may hold. The lane `metadata` touches no bytes and has no such quota. */
  readonly quota: number;
  /**
   * How many of the slots one caller may hold where they are held long: downloads and clones hold theirs as long as
   * clients read, transfers as long as remotes send.
   */
  readonly callerQuota?: number;
  /** How many slots of one repository one caller may hold; operations on a repository take turns anyway. */
  readonly callerQuotaOfKey?: number;
  /** How many slots may be kept after the answer where most are held briefly, in all and for one caller. */
  readonly keptQuota?: { readonly slots: number; readonly ofCaller: number };
}

/** Returns the slots of each lane of a worker on a machine with this number of cores. */
export function laneSizes(cores: number): Record<Lane, LaneSize> {
  return {
    metadata: { slots: 64, quota: 64 },
    // A fork of a large repository keeps its slot for minutes.
    storage: {
      slots: 8 * cores,
      quota: Math.max(2, cores),
      keptQuota: { slots: 4 * cores, ofCaller: 2 * cores },
    },
    download: { slots: 32 * cores, quota: 8 * cores, callerQuota: 16 * cores, callerQuotaOfKey: 4 * cores },
    // A small clone holds its slot for milliseconds, and a slow client costs a process that waits for its pipe.
    wire: { slots: 64 * cores, quota: 32 * cores, callerQuota: 32 * cores, callerQuotaOfKey: 16 * cores },
    // An upload holds its slot as long as the client sends.
    'wire-push': { slots: 16 * cores, quota: 4 * cores, callerQuota: 4 * cores, callerQuotaOfKey: 2 * cores },
    transfer: { slots: 2 * cores, quota: Math.max(2, Math.floor(cores / 2)), callerQuota: cores },
  };
}

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
