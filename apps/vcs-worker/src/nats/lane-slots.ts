/** A place in a lane. An operation that has to wait for another one gives it back meanwhile. */
export interface Slot {
  release(): void;
  /** Waits for a place again, first come first served. */
  regain(): Promise<void>;
}

export interface LaneSlots {
  readonly size: number;
  readonly busy: number;
  /** A place at once, or null: the worker never queues new requests. */
  tryTake(): Slot | null;
}

export function createLaneSlots(size: number): LaneSlots {
  let busy = 0;
  const waiting: (() => void)[] = [];

  const giveBack = () => {
    const next = waiting.shift();
    if (next) next();
    else busy -= 1;
  };

  const takenSlot = (): Slot => {
    let mine = true;
    return {
      release() {
        if (!mine) return;
        mine = false;
        giveBack();
      },
      async regain() {
        if (mine) return;
        if (busy < size) busy += 1;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        mine = true;
      },
    };
  };

  return {
    size,
    get busy() {
      return busy;
    },
    tryTake() {
      if (busy >= size) return null;
      busy += 1;
      return takenSlot();
    },
  };
}
