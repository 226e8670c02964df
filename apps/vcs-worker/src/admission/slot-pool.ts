import { KeyedCounter } from './keyed-counter.ts';

interface Waiter {
  readonly quotaKey: string | null;
  come(): void;
}

/** The places of a lane, how many of them each quotaKey holds, and who waits for one, in order. */
export class SlotPool {
  readonly #size: number;
  readonly #quota: number;
  readonly #heldBy = new KeyedCounter<string>();
  readonly #waiting = new Set<Waiter>();
  busy = 0;

  constructor(size: number, quota: number) {
    this.#size = size;
    this.#quota = quota;
  }

  take(quotaKey: string | null): boolean {
    if (this.busy >= this.#size || (quotaKey !== null && !this.join(quotaKey))) return false;
    this.busy += 1;
    return true;
  }

  /** Counts a place that is taken already among those of a quotaKey. */
  join(quotaKey: string): boolean {
    if (this.#heldBy.of(quotaKey) >= this.#quota) return false;
    this.#heldBy.add(quotaKey);
    return true;
  }

  /** A place stays taken, but is the quotaKey's no more. */
  part(quotaKey: string): void {
    this.#heldBy.remove(quotaKey);
    this.#letIn();
  }

  giveBack(quotaKey: string | null): void {
    this.busy -= 1;
    if (quotaKey !== null) this.#heldBy.remove(quotaKey);
    this.#letIn();
  }

  #letIn(): void {
    for (const waiter of this.#waiting) {
      if (!this.take(waiter.quotaKey)) continue;
      this.#waiting.delete(waiter);
      waiter.come();
    }
  }

  takeWithin(quotaKey: string | null, msMax: number): Promise<boolean> {
    if (this.take(quotaKey)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const waiter = { quotaKey, come };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        resolve(false);
      }, msMax);
      this.#waiting.add(waiter);
    });
  }
}
