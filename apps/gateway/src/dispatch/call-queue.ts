import { BusyError } from '@trunkline/contracts';
import type { Clock } from '../clock.ts';

interface Line {
  inFlight: number;
  readonly waiting: Set<() => void>;
}

export interface CallQueueLimits {
  readonly inFlightMax: number;
  readonly waitingMax: number;
}

/** Lets so many calls of a line go on at once; the others come in order. BusyError when too many wait, or too long. */
export type Enqueue = <T>(name: string, msMax: number, call: () => Promise<T>) => Promise<T>;

/**
 * What workers have no room for is asked again and again; of calls for the same, which would only be refused
 * together, most wait here instead, where that costs nothing.
 */
export function createCallQueue({ inFlightMax, waitingMax }: CallQueueLimits, clock: Pick<Clock, 'sleep'>): Enqueue {
  const lines = new Map<string, Line>();

  const turn = (line: Line, msMax: number): Promise<void> => {
    if (line.waiting.size >= waitingMax) throw new BusyError();
    return new Promise((resolve, reject) => {
      line.waiting.add(resolve);
      void clock.sleep(msMax).then(() => {
        if (line.waiting.delete(resolve)) reject(new BusyError());
      });
    });
  };

  const leave = (name: string, line: Line) => {
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      next();
    } else {
      line.inFlight -= 1;
      if (line.inFlight === 0) lines.delete(name);
    }
  };

  return async (name, msMax, call) => {
    const line = lines.get(name) ?? { inFlight: 0, waiting: new Set() };
    if (line.inFlight >= inFlightMax) await turn(line, msMax);
    else {
      line.inFlight += 1;
      lines.set(name, line);
    }
    try {
      return await call();
    } finally {
      leave(name, line);
    }
  };
}
