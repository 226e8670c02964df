import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { WaitingCalls } from './waiting-calls.ts';

/** A slot of a lane. A call that has to wait for something releases its slot meanwhile. */
export interface Slot {
  /** Counts the slot for a key, such as a repository; false when the key has its quota of the lane. */
  claim(key: string): boolean;
  /** Gives the slot back at the end of the call. */
  end(): void;
  /** Holds the slot, when it is given back, until this work has ended. */
  keepFor(work: Promise<unknown>): void;
  /** Gives the slot back in order to wait for a key; throws BusyError when too many calls wait for that key. */
  release(key: string): void;
  /** Waits for a slot again, first come first served; false when there was none in time. */
  reacquire(msMax: number): Promise<boolean>;
}

export interface LaneSlots {
  readonly size: number;
  readonly busy: number;
  /** A slot at once, or null: the worker never queues new requests. */
  tryTake(): Slot | null;
}

export interface LaneLimits {
  /** How many slots one key may hold; all of them when absent. */
  readonly quota?: number;
  /** How many calls may wait for one key, and in all. */
  readonly waitingForOneMax?: number;
  readonly waitingMax?: number;
}

function takenSlot(semaphore: Semaphore, calls: WaitingCalls): Slot {
  let held = true;
  let quotaKey: string | null = null;
  let assigned = false;
  let awaited: string | null = null;
  let work: Promise<unknown> | undefined;

  const giveBack = () => {
    if (!held) return;
    const key = assigned ? quotaKey : null;
    held = assigned = false;
    const release = () => semaphore.release(key);
    if (work) void work.then(release, release);
    else release();
  };
  const leaveQueue = () => {
    if (awaited !== null) calls.remove(awaited);
    awaited = null;
  };

  return {
    claim(key) {
      // While a call waited, the name in the call may have gone to another repository.
      if (assigned && quotaKey !== null && quotaKey !== key) {
        semaphore.unassign(quotaKey);
        assigned = false;
      }
      quotaKey = key;
      assigned ||= semaphore.tryAssign(key);
      return assigned;
    },
    end() {
      leaveQueue();
      giveBack();
    },
    keepFor(begun) {
      work = begun;
    },
    release(key) {
      if (awaited === key) return;
      calls.add(key);
      awaited = key;
      giveBack();
    },
    async reacquire(msMax) {
      if (held) return true;
      try {
        await semaphore.acquire({ key: quotaKey, timeoutMs: msMax });
      } catch {
        return false;
      }
      held = true;
      assigned = quotaKey !== null;
      leaveQueue();
      return true;
    },
  };
}

export function createLaneSlots(size: number, limits: LaneLimits = {}): LaneSlots {
  const { quota = size, waitingForOneMax = 64, waitingMax = 512 } = limits;
  // Only calls that `calls` has counted wait for a slot again, so that the semaphore's own queue needs no bound.
  const semaphore = new Semaphore({
    limit: size,
    quotaPerKey: quota,
    queueMax: Infinity,
    refuse: () => new BusyError(),
  });
  const calls = new WaitingCalls(waitingForOneMax, waitingMax);
  return {
    size,
    get busy() {
      return semaphore.held;
    },
    tryTake: () => (semaphore.tryAcquire() ? takenSlot(semaphore, calls) : null),
  };
}
