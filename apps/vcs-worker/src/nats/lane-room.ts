import { Tally } from './tally.ts';

interface Waiter {
  readonly sharer: string | null;
  come(): void;
}

/** The places of a lane, how many of them each sharer holds, and who waits for one, in order. */
export class LaneRoom {
  readonly #size: number;
  readonly #share: number;
  readonly #heldBy = new Tally<string>();
  readonly #waiting = new Set<Waiter>();
  busy = 0;

  constructor(size: number, share: number) {
    this.#size = size;
    this.#share = share;
  }

  take(sharer: string | null): boolean {
    if (this.busy >= this.#size || (sharer !== null && !this.join(sharer))) return false;
    this.busy += 1;
    return true;
  }

  /** Counts a place that is taken already among those of a sharer. */
  join(sharer: string): boolean {
    if (this.#heldBy.of(sharer) >= this.#share) return false;
    this.#heldBy.add(sharer);
    return true;
  }

  /** A place stays taken, but is the sharer's no more. */
  part(sharer: string): void {
    this.#heldBy.remove(sharer);
    this.#letIn();
  }

  giveBack(sharer: string | null): void {
    this.busy -= 1;
    if (sharer !== null) this.#heldBy.remove(sharer);
    this.#letIn();
  }

  #letIn(): void {
    for (const waiter of this.#waiting) {
      if (!this.take(waiter.sharer)) continue;
      this.#waiting.delete(waiter);
      waiter.come();
    }
  }

  takeWithin(sharer: string | null, msMax: number): Promise<boolean> {
    if (this.take(sharer)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const waiter = { sharer, come };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        resolve(false);
      }, msMax);
      this.#waiting.add(waiter);
    });
  }
}
