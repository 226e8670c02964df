import { KeyedCounter } from '@trunkline/runtime/concurrency';
import type { ReadPieces } from './lane-slots.ts';

/** Rate below which a client reads slowly, in bytes a millisecond: 10 KB a second. */
const slowRate = 10.24;
/** The bus tells that bytes were read in steps of this size, so a smaller piece gets the time of one step. */
const stepBytes = 256 * 1024;

interface Reading {
  readonly caller: string;
  /** Key whose quota the slot counts towards, such as a repository; null for none. */
  readonly key: string | null;
  /** Ends the answer and releases the slot. */
  readonly end: () => void;
}

interface Reader extends Reading {
  /** Time by which a client that is not slow wants the next piece; null while the tool produces one. */
  dueAt: number | null;
}

/**
 * The clients that read answers and keep the slots of a lane meanwhile. When other callers wait, slow ones beyond their
 * share are ended.
 */
export class SlowReaders {
  readonly #limits: { readonly size: number; readonly quota: number };
  readonly #now: () => number;
  readonly #readers = new Set<Reader>();

  /** Slow readers keep a quarter of the slots of the lane (`size`), and of those of a key (`quota`). */
  constructor(limits: { readonly size: number; readonly quota: number }, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  add(reading: Reading): ReadPieces & { remove(): void } {
    const reader: Reader = { ...reading, dueAt: null };
    this.#readers.add(reader);
    return {
      sent: (bytes) => (reader.dueAt = this.#now() + Math.max(bytes, stepBytes) / slowRate),
      wanted: () => (reader.dueAt = null),
      remove: () => this.#readers.delete(reader),
    };
  }

  /**
   * Ends one slow reader for a caller who waits for a slot or, with a key, for one of the key's, if there are too many:
   * of the other callers the one with most slow readers loses the slowest of them.
   */
  endOne(waitingCaller: string, key: string | null = null): void {
    const now = this.#now();
    const { size, quota } = this.#limits;
    const slow = [...this.#readers].filter(
      (reader) => reader.dueAt !== null && reader.dueAt < now && (key === null || reader.key === key),
    );
    if (slow.length <= Math.floor((key === null ? size : quota) / 4)) return;
    const ofCaller = new KeyedCounter<string>();
    for (const { caller } of slow) ofCaller.add(caller);
    const [slowest] = slow
      .filter(({ caller }) => caller !== waitingCaller)
      .toSorted((a, b) => ofCaller.of(b.caller) - ofCaller.of(a.caller) || (a.dueAt ?? 0) - (b.dueAt ?? 0));
    if (!slowest) return;
    this.#readers.delete(slowest);
    slowest.end();
  }
}
