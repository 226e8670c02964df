import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { WaitingCallsLimit } from './waiting-calls-limit.ts';

/** Slot of a lane, taken by one call. A call that has to wait for something releases its slot meanwhile. */
export interface Slot {
  /** Counts the slot against the quota of a key, such as a repository. Returns false when that quota is used up. */
  claim(quotaKey: string): boolean;
  /** Gives the slot back at the end of the call. */
  end(): void;
  /** Delays giving the slot back until this work has settled. */
  keepFor(work: Promise<unknown>): void;
  /**
   * Gives the slot back while the call waits; `awaitedKey` says for what. Throws BusyError when too many calls wait for
   * the same thing or in all. Before it waits for another key, the call must reacquire the slot, which ends the first
   * wait.
   */
  releaseToWait(awaitedKey: string): void;
  /** Waits for a slot again, first come first served. Returns false when no slot was free within `msMax`. */
  reacquire(msMax: number): Promise<boolean>;
}

export interface LaneSlots {
  readonly size: number;
  readonly held: number;
  /** Returns a slot at once, or null when none is free: the worker never queues new requests. */
  tryTake(): Slot | null;
}

export interface LaneLimits {
  /** Limit of the slots that one key may hold; `size` when absent. */
  readonly quota?: number;
  /** Limits of the calls that wait without a slot: for one key, and in all. */
  readonly waitingPerKeyMax?: number;
  readonly waitingMax?: number;
}

function takenSlot(semaphore: Semaphore, waiting: WaitingCallsLimit): Slot {
  let held = true;
  let quotaKey: string | null = null;
  let countsForQuota = false;
  let awaitedKey: string | null = null;
  let work: Promise<unknown> | undefined;

  const release = () => {
    if (!held) return;
    const key = countsForQuota ? quotaKey : null;
    held = countsForQuota = false;
    const releasePermit = () => semaphore.release(key);
    if (work) void work.then(releasePermit, releasePermit);
    else releasePermit();
  };
  const leaveQueue = () => {
    if (awaitedKey !== null) waiting.remove(awaitedKey);
    awaitedKey = null;
  };

  return {
    claim(key) {
      // The name in the call may have passed to another repository while the call waited, so its slot moves to the new
      // repository's quota.
      if (countsForQuota && quotaKey !== null && quotaKey !== key) {
        semaphore.unassign(quotaKey);
        countsForQuota = false;
      }
      quotaKey = key;
      countsForQuota ||= semaphore.tryAssign(key);
      return countsForQuota;
    },
    end() {
      leaveQueue();
      release();
    },
    keepFor(promise) {
      work = promise;
    },
    releaseToWait(key) {
      if (awaitedKey === key) return;
      waiting.add(key);
      awaitedKey = key;
      release();
    },
    async reacquire(msMax) {
      if (held) return true;
      try {
        await semaphore.acquire({ key: quotaKey, timeoutMs: msMax });
      } catch {
        return false;
      }
      held = true;
      countsForQuota = quotaKey !== null;
      leaveQueue();
      return true;
    },
  };
}

export function createLaneSlots(size: number, limits: LaneLimits = {}): LaneSlots {
  const { quota = size, waitingPerKeyMax = 64, waitingMax = 512 } = limits;
  // Only calls that `waiting` has counted wait for a slot again, so the semaphore's own queue needs no limit.
  const semaphore = new Semaphore({
    limit: size,
    quotaPerKey: quota,
    queueMax: Infinity,
    refuse: () => new BusyError(),
  });
  const waiting = new WaitingCallsLimit(waitingPerKeyMax, waitingMax);
  return {
    size,
    get held() {
      return semaphore.held;
    },
    tryTake: () => (semaphore.tryAcquire() ? takenSlot(semaphore, waiting) : null),
  };
}
