import { SlotPool } from './slot-pool.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** A place in a lane. A call that has to wait for something gives it back meanwhile. */
export interface Slot {
  /** Counts it among the places of whatever is named, say a repository; false when that has its share of the lane. */
  claim(quotaKey: string): boolean;
  end(): void;
  /** Holds the place, when it is given back, until this work has ended. */
  keepFor(work: Promise<unknown>): void;
  /** Gives the place back in order to wait; throws BusyError when as many calls wait for the same as may. */
  release(awaited: string): void;
  /** Waits for a place again, first come first served; answers whether it came in time. */
  reacquire(msMax: number): Promise<boolean>;
}

export interface LaneSlots {
  readonly size: number;
  readonly busy: number;
  /** A place at once, or null: the worker never queues new requests. */
  tryTake(): Slot | null;
}

export interface LaneLimits {
  /** How many places one repository, or whatever else claims them, may hold; all of them when absent. */
  readonly quota?: number;
  /** How many calls may wait for the same, and in all. */
  readonly waitingForOneMax?: number;
  readonly waitingMax?: number;
}

function takenSlot(pool: SlotPool, calls: WaitingCalls): Slot {
  let mine = true;
  let quotaKey: string | null = null;
  let counted = false;
  let awaited: string | null = null;
  let work: Promise<unknown> | undefined;

  const leave = () => {
    if (!mine) return;
    const of = counted ? quotaKey : null;
    mine = counted = false;
    const end = () => pool.giveBack(of);
    if (work) void work.then(end, end);
    else end();
  };
  const leaveQueue = () => {
    if (awaited !== null) calls.remove(awaited);
    awaited = null;
  };

  return {
    claim(name) {
      // While a call waited, the name it gave may have gone to another repository.
      if (counted && quotaKey !== null && quotaKey !== name) {
        pool.part(quotaKey);
        counted = false;
      }
      quotaKey = name;
      counted ||= pool.join(name);
      return counted;
    },
    end() {
      leaveQueue();
      leave();
    },
    keepFor(begun) {
      work = begun;
    },
    release(name) {
      if (awaited === name) return;
      calls.add(name);
      awaited = name;
      leave();
    },
    async reacquire(msMax) {
      if (mine) return true;
      if (!(await pool.takeWithin(quotaKey, msMax))) return false;
      mine = true;
      counted = quotaKey !== null;
      leaveQueue();
      return true;
    },
  };
}

export function createLaneSlots(size: number, limits: LaneLimits = {}): LaneSlots {
  const { quota = size, waitingForOneMax = 64, waitingMax = 512 } = limits;
  const pool = new SlotPool(size, quota);
  const calls = new WaitingCalls(waitingForOneMax, waitingMax);
  return {
    size,
    get busy() {
      return pool.busy;
    },
    tryTake: () => (pool.take(null) ? takenSlot(pool, calls) : null),
  };
}
