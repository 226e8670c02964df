/** A place in a lane. An operation that has to wait for another one gives it back meanwhile. */
export interface Slot {
  release(): void;
  /** Holds the place, when it is given back, until this work has ended. */
  keepFor(work: Promise<unknown>): void;
  /** Waits for a place again, first come first served; answers whether it came in time. */
  regain(msMax: number): Promise<boolean>;
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

  const turn = (msMax: number) =>
    new Promise<boolean>((resolve) => {
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(come), 1);
        resolve(false);
      }, msMax);
      waiting.push(come);
    });

  const takenSlot = (): Slot => {
    let mine = true;
    let work: Promise<unknown> | undefined;
    return {
      release() {
        if (!mine) return;
        mine = false;
        if (work) void work.then(giveBack, giveBack);
        else giveBack();
      },
      keepFor(begun) {
        work = begun;
      },
      async regain(msMax) {
        if (!mine && busy < size) {
          busy += 1;
          mine = true;
        }
        mine ||= await turn(msMax);
        return mine;
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
