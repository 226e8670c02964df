import { LaneRoom } from './lane-room.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** A place in a lane. A call that has to wait for something gives it back meanwhile. */
export interface Slot {
  /** Counts it among the places of whatever is named, say a repository; false when that has its share of the lane. */
  claim(sharer: string): boolean;
  release(): void;
  /** Holds the place, when it is given back, until this work has ended. */
  keepFor(work: Promise<unknown>): void;
  /** Gives the place back in order to wait; throws BusyError when as many calls wait for the same as may. */
  park(awaited: string): void;
  /** Waits for a place again, first come first served; answers whether it came in time. */
  regain(msMax: number): Promise<boolean>;
}

export interface LaneSlots {
  readonly size: number;
  readonly busy: number;
  /** A place at once, or null: the worker never queues new requests. */
  tryTake(): Slot | null;
}

export interface LaneLimits {
  /** How many places one repository, or whatever else claims them, may hold; all of them when absent. */
  readonly share?: number;
  /** How many calls may wait for the same, and in all. */
  readonly waitingForOneMax?: number;
  readonly waitingMax?: number;
}

function takenSlot(room: LaneRoom, calls: WaitingCalls): Slot {
  let mine = true;
  let sharer: string | null = null;
  let counted = false;
  let awaited: string | null = null;
  let work: Promise<unknown> | undefined;

  const leave = () => {
    if (!mine) return;
    const of = counted ? sharer : null;
    mine = counted = false;
    const end = () => room.giveBack(of);
    if (work) void work.then(end, end);
    else end();
  };
  const unpark = () => {
    if (awaited !== null) calls.remove(awaited);
    awaited = null;
  };

  return {
    claim(name) {
      // While a call waited, the name it gave may have gone to another repository.
      if (counted && sharer !== null && sharer !== name) {
        room.part(sharer);
        counted = false;
      }
      sharer = name;
      counted ||= room.join(name);
      return counted;
    },
    release() {
      unpark();
      leave();
    },
    keepFor(begun) {
      work = begun;
    },
    park(name) {
      if (awaited === name) return;
      calls.add(name);
      awaited = name;
      leave();
    },
    async regain(msMax) {
      if (mine) return true;
      if (!(await room.takeWithin(sharer, msMax))) return false;
      mine = true;
      counted = sharer !== null;
      unpark();
      return true;
    },
  };
}

export function createLaneSlots(size: number, limits: LaneLimits = {}): LaneSlots {
  const { share = size, waitingForOneMax = 64, waitingMax = 512 } = limits;
  const room = new LaneRoom(size, share);
  const calls = new WaitingCalls(waitingForOneMax, waitingMax);
  return {
    size,
    get busy() {
      return room.busy;
    },
    tryTake: () => (room.take(null) ? takenSlot(room, calls) : null),
  };
}
