import { KeyedCounter } from './keyed-counter.ts';

/** Rate below which a client reads slowly, in bytes a millisecond: 10 KB a second. */
const slowRate = 10.24;
/** Connections take bytes from a worker in steps of this size, so a smaller piece gets the time of one step. */
const stepBytes = 256 * 1024;

interface Reading {
  readonly caller: string;
  /** Key whose quota the reader counts towards, such as a repository; null for none. */
  readonly key?: string | null;
  /** What the reader holds of the limits: one slot when absent. */
  readonly held?: number;
  /** Ends the answer, and gives back what the reader holds. */
  readonly end: () => void;
}

/** Tells of the pieces of an answer: when the client has been sent one, and when it wants the next one. */
export interface ReadPieces {
  sent(bytes: number): void;
  wanted(): void;
}

interface Reader extends Required<Reading> {
  /** Time by which a client that is not slow wants the next piece; null while the tool produces one. */
  dueAt: number | null;
}

/** What all readers may hold, and those of one key; as much as all when absent. */
interface ReaderLimits {
  readonly size: number;
  readonly quota?: number;
}

/**
 * The clients that read answers and meanwhile hold what others wait for, such as the slots of a lane. When other callers
 * wait, slow ones beyond their share are ended.
 */
export class SlowReaders {
  readonly #limits: Required<ReaderLimits>;
  readonly #now: () => number;
  readonly #readers = new Set<Reader>();

  /** Slow readers keep a quarter of `size`, and of the `quota` of a key. */
  constructor({ size, quota = size }: ReaderLimits, now = () => performance.now()) {
    this.#limits = { size, quota };
    this.#now = now;
  }

  add({ caller, key = null, held = 1, end }: Reading): ReadPieces & { remove(): void } {
    const reader: Reader = { caller, key, held, end, dueAt: null };
    this.#readers.add(reader);
    return {
      sent: (bytes) => (reader.dueAt = this.#now() + Math.max(bytes, stepBytes) / slowRate),
      wanted: () => (reader.dueAt = null),
      remove: () => this.#readers.delete(reader),
    };
  }

  /**
   * Ends one slow reader for a caller who waits or, with a key, waits for what is the key's, if they hold too much: of the
   * other callers the one whose slow readers hold most loses the slowest of them. Returns whether one was ended.
   */
  endOne(waitingCaller: string, key: string | null = null): boolean {
    const now = this.#now();
    const { size, quota } = this.#limits;
    const slow = [...this.#readers].filter(
      (reader) => reader.dueAt !== null && reader.dueAt < now && (key === null || reader.key === key),
    );
    const heldBySlow = slow.reduce((sum, { held }) => sum + held, 0);
    if (heldBySlow <= Math.floor((key === null ? size : quota) / 4)) return false;
    const ofCaller = new KeyedCounter<string>();
    for (const { caller, held } of slow) ofCaller.add(caller, held);
    const [slowest] = slow
      .filter(({ caller }) => caller !== waitingCaller)
      .toSorted((a, b) => ofCaller.of(b.caller) - ofCaller.of(a.caller) || (a.dueAt ?? 0) - (b.dueAt ?? 0));
    if (!slowest) return false;
    this.#readers.delete(slowest);
    slowest.end();
    return true;
  }
}
