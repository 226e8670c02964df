import type { Lane } from '@trunkline/contracts';
import type { Logger } from '@trunkline/runtime';

/** Milliseconds after its time limit at which a call that has not ended is reported. */
const overdueAfterMs = 10_000;

/** A running call, as far as the report of an overdue one needs it. */
export interface RunningCall {
  readonly method: string;
  readonly requestId: string;
}

interface Tracked {
  readonly call: RunningCall;
  overdueAtMs: number;
  reported: boolean;
}

export interface Tracking {
  /** Gives the call, or what goes on after its answer, so much time from now on. */
  restart(timeLimitMs: number): void;
  end(): void;
}

export interface OverdueCallsOptions {
  /** Milliseconds after its time limit at which a call counts as overdue: it was aborted, and must have ended by then. */
  readonly graceMs: number;
  /** Reports a call once, when it is found to be overdue. */
  readonly report: (call: RunningCall) => void;
}

/**
 * The calls of one lane that go on after their time limit, although their signal has been aborted. Each of them keeps
 * its slot until it has ended, since it may still be writing; a lane whose slots are all held so serves nothing. Work
 * that keeps the slot after the answer has a time limit of its own.
 */
export class OverdueCalls {
  readonly #options: OverdueCallsOptions;
  readonly #running = new Set<Tracked>();

  constructor(options: OverdueCallsOptions) {
    this.#options = options;
  }

  begin(call: RunningCall, timeLimitMs: number): Tracking {
    const overdueIn = (limitMs: number) => performance.now() + limitMs + this.#options.graceMs;
    const tracked: Tracked = { call, overdueAtMs: overdueIn(timeLimitMs), reported: false };
    this.#running.add(tracked);
    return {
      restart(limitMs) {
        tracked.overdueAtMs = overdueIn(limitMs);
        tracked.reported = false;
      },
      end: () => void this.#running.delete(tracked),
    };
  }

  /** Reports the calls that have become overdue, and returns the number of all overdue calls. */
  check(): number {
    const now = performance.now();
    const overdue = [...this.#running].filter(({ overdueAtMs }) => overdueAtMs <= now);
    for (const tracked of overdue) {
      if (!tracked.reported) this.#options.report(tracked.call);
      tracked.reported = true;
    }
    return overdue.length;
  }
}

/** Tracks the calls of each lane, and logs the overdue ones until it is stopped. */
export function watchOverdueCalls(logger: Pick<Logger, 'error'>) {
  const lanes = new Map<Lane, OverdueCalls>();
  const of = (lane: Lane): OverdueCalls => {
    const known = lanes.get(lane);
    if (known) return known;
    const report = ({ method, requestId }: RunningCall) =>
      logger.error({ lane, method, requestId }, 'call goes on after its time limit, and keeps its slot');
    const created = new OverdueCalls({ graceMs: overdueAfterMs, report });
    lanes.set(lane, created);
    return created;
  };
  const timer = setInterval(() => {
    for (const calls of lanes.values()) calls.check();
  }, overdueAfterMs);
  timer.unref();
  return { of, stop: () => clearInterval(timer) };
}
