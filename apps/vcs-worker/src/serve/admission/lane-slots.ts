import { BusyError } from '@trunkline/contracts';
import { type ReadPieces, Semaphore, SlowReaders } from '@trunkline/runtime/concurrency';

/** What a call does with its slot when it may have to wait for a repository, a row or an operation. */
export interface WaitingSlot {
  /** Counts the slot against the quota of a key, such as a repository. Returns false when that quota is used up. */
  claim(quotaKey: string): boolean;
  /**
   * Gives the slot back while the call waits; `awaitedKey` says for what. Throws BusyError when too many calls wait for
   * the same thing or in all. A wait for another key ends the first one.
   */
  releaseToWait(awaitedKey: string): void;
  /** Waits for a slot again, in the caller's turn. Returns false when no slot was free within `msMax`. */
  reacquire(msMax: number): Promise<boolean>;
}

/** Slot of a lane, taken by one call. A call that has to wait for something releases its slot meanwhile. */
export interface Slot extends WaitingSlot {
  /** Waits for the slot of a call that has come without one, as `LaneSlots.take` does. Returns at once otherwise. */
  take(): Promise<void>;
  /** Gives the slot back at the end of the call; `ended` is called then, after the work for which the slot is kept. */
  end(ended?: () => void): void;
  /** Delays giving the slot back until this work has settled. */
  keepFor(work: Promise<unknown>): void;
  /** Counts the slot against the quota of those that may be kept after the answer. Returns false when that is used up. */
  claimToKeep(): boolean;
  /**
   * Notes that a client reads the call's answer, piece by piece, while the slot is held. When the client reads too
   * slowly and other callers wait, `end` is called.
   */
  beginReading(end: () => void): ReadPieces;
}

export interface LaneSlots {
  readonly size: number;
  readonly held: number;
  /** Number of calls that wait for a slot. */
  readonly waiting: number;
  /** Whether so many calls wait that further ones must be refused. */
  readonly isOverloaded: boolean;
  /** Returns a slot at once, or null when none is free for this caller. */
  tryTake(caller: string): Slot | null;
  /** Waits briefly for a slot; callers take turns. Throws BusyError when there is none in time or too many wait. */
  take(caller: string): Promise<Slot>;
  /**
   * Returns a slot that is not held, for a call that may do without: its `take` waits. The call counts among those that
   * wait for their first slot until then. Throws BusyError when too many wait.
   */
  takeLater(caller: string): Slot;
}

export interface LaneLimits {
  /** Limit of the slots that one key may hold; `size` when absent. */
  readonly quota?: number;
  /** Limits of the slots that one caller may hold, in all and of one key; no limits when absent. */
  readonly callerQuota?: number;
  readonly callerQuotaOfKey?: number;
  /** Limits of the slots that are kept after the answer, in all and for one caller; no limits when absent. */
  readonly keptQuota?: { readonly slots: number; readonly ofCaller: number };
  /** Limit of a new call's wait in milliseconds. The gateway retries a call that is refused, perhaps elsewhere. */
  readonly waitMsMax?: number;
  /** Limits of the calls that wait without a slot: for one key or, while they are new, one caller; of one caller; in all. */
  readonly waitingPerKeyMax?: number;
  readonly waitingPerCallerMax?: number;
  readonly waitingMax?: number;
}

interface Lane {
  readonly size: number;
  readonly waitMsMax: number;
  readonly semaphore: Semaphore;
  /** Counts the slots that may be kept after the answer. */
  readonly keeping: Semaphore | null;
  /** Counts the calls that wait without a slot, by what they wait for and by caller. */
  readonly waiting: Semaphore;
  /** Counts the new calls that wait for their first slot, by caller. */
  readonly arrivals: Semaphore;
  readonly readers: SlowReaders;
}

const refuse = () => new BusyError({ quota: 'waiting_calls' });

/** Returns the slot of a call; one that is not held yet counts among the arrivals. */
function slotOf(
  { size, waitMsMax, semaphore, keeping, waiting, arrivals, readers }: Lane,
  caller: string,
  taken: boolean,
): Slot {
  let held = taken;
  let arriving = !taken;
  let quotaKey: string | null = null;
  let countsForQuota = false;
  let mayBeKept = false;
  let awaitedKey: string | null = null;
  let work: Promise<unknown> | undefined;
  let stopReading = () => {};

  const release = (ended = () => {}) => {
    if (!held) return ended();
    const key = countsForQuota ? quotaKey : null;
    const isKept = mayBeKept;
    held = countsForQuota = mayBeKept = false;
    const releasePermit = () => {
      stopReading();
      semaphore.release(key, caller);
      if (isKept) keeping?.release(null, caller);
      ended();
    };
    if (work) void work.then(releasePermit, releasePermit);
    else releasePermit();
  };
  const endArrival = () => {
    if (arriving) arrivals.release(caller);
    arriving = false;
  };
  const leaveQueue = () => {
    if (awaitedKey !== null) waiting.release(awaitedKey, caller);
    awaitedKey = null;
  };

  return {
    claim(key) {
      // The name in the call may have passed to another repository while the call waited, so its slot moves to the new
      // repository's quota.
      if (countsForQuota && quotaKey !== null && quotaKey !== key) {
        semaphore.unassign(quotaKey, caller);
        countsForQuota = false;
      }
      quotaKey = key;
      countsForQuota ||= semaphore.tryAssign(key, caller);
      return countsForQuota;
    },
    async take() {
      if (!arriving) return;
      // The last slot is kept for a caller who has none, so others wait while it is free.
      if (semaphore.held >= size - 1) readers.endOne(caller);
      try {
        await semaphore.acquire({ caller, timeoutMs: waitMsMax });
        held = true;
      } finally {
        endArrival();
      }
    },
    end(ended) {
      endArrival();
      leaveQueue();
      release(ended);
    },
    keepFor(promise) {
      work = promise;
    },
    claimToKeep() {
      mayBeKept ||= keeping?.tryAcquire(null, caller) ?? true;
      return mayBeKept;
    },
    releaseToWait(key) {
      if (awaitedKey === key) return;
      if (!waiting.tryAcquire(key, caller)) throw refuse();
      leaveQueue();
      awaitedKey = key;
      endArrival();
      readers.endOne(caller, key);
      release();
    },
    async reacquire(msMax) {
      if (held) return true;
      try {
        await semaphore.acquire({ key: quotaKey, caller, timeoutMs: msMax });
      } catch {
        return false;
      }
      held = true;
      countsForQuota = quotaKey !== null;
      leaveQueue();
      return true;
    },
    beginReading(end) {
      const reader = readers.add({ caller, key: quotaKey, end });
      stopReading = reader.remove;
      return reader;
    },
  };
}

export function createLaneSlots(size: number, limits: LaneLimits = {}): LaneSlots {
  const {
    quota = size,
    callerQuota,
    callerQuotaOfKey,
    keptQuota,
    waitMsMax = 100,
    waitingPerKeyMax = 64,
    waitingPerCallerMax = 128,
    waitingMax = 512,
  } = limits;
  // Only calls that `waiting` has counted wait for a slot, so the semaphore's own queue needs no limit.
  const semaphore = new Semaphore({
    limit: size,
    quotaPerKey: quota,
    ...(callerQuota !== undefined && { quotaPerCaller: callerQuota }),
    ...(callerQuotaOfKey !== undefined && { quotaPerCallerOfKey: callerQuotaOfKey }),
    queueMax: Infinity,
    refuse: () => new BusyError({ quota: 'slots' }),
  });
  const keeping = keptQuota && new Semaphore({ limit: keptQuota.slots, quotaPerCaller: keptQuota.ofCaller, refuse });
  // Two counts, since calls that wait for a few repositories must not keep new ones out.
  const waitingLimits = { limit: waitingMax, quotaPerKey: waitingPerKeyMax, refuse };
  const lane: Lane = {
    size,
    waitMsMax,
    semaphore,
    keeping: keeping ?? null,
    waiting: new Semaphore({ ...waitingLimits, quotaPerCaller: waitingPerCallerMax }),
    arrivals: new Semaphore(waitingLimits),
    readers: new SlowReaders({ size, quota }),
  };
  const takeLater = (caller: string) => {
    if (!lane.arrivals.tryAcquire(caller)) throw refuse();
    return slotOf(lane, caller, false);
  };
  return {
    size,
    get held() {
      return semaphore.held;
    },
    get waiting() {
      return semaphore.waiting;
    },
    get isOverloaded() {
      return lane.arrivals.held >= waitingMax;
    },
    tryTake: (caller) => (semaphore.tryAcquire(null, caller) ? slotOf(lane, caller, true) : null),
    takeLater,
    async take(caller) {
      const slot = takeLater(caller);
      await slot.take();
      return slot;
    },
  };
}

/** Limit of the wait, in milliseconds. The gateway retries a call that is still refused, perhaps on another worker. */
const waitMsMax = 200;

/**
 * Counts a call's slot against the repository's quota of the lane. When the quota is used up, releases the slot, waits
 * briefly for a new one, and throws BusyError when there is none.
 */
export async function acquireRepositoryQuota(slot: Slot, repositoryId: number): Promise<void> {
  const key = `readers of repository ${repositoryId}`;
  if (slot.claim(key)) return;
  slot.releaseToWait(key);
  if (!(await slot.reacquire(waitMsMax))) throw new BusyError({ quota: 'repository', details: { repositoryId } });
}
