import { BusyError } from '@trunkline/contracts';
import { RateLimiter, Semaphore } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import { sourceOf } from './source-of.ts';

/** The rate at which the look-ups of a source may fail. */
export interface ThrottleLimits {
  /** Number of failures without a delay, and of look-ups of one source that run at once. */
  readonly burst: number;
  /** Interval at which a source may fail beyond the burst, in milliseconds; each failure counts for one interval. */
  readonly intervalMs: number;
  /** The longest delay, in milliseconds; a look-up that would wait longer is refused with BusyError. */
  readonly waitMsMax: number;
}

const keyLimits: ThrottleLimits = { burst: 50, intervalMs: 100, waitMsMax: 3_000 };

const sourcesMax = 10_000;
const waitingMax = 1_000;
/** Longest wait for earlier look-ups of the same source, which take long while what they ask is away. */
const queueMsMax = 10_000;

export interface LookUpThrottle {
  /**
   * Runs a look-up for a source, such as an address, after a delay when the source has failed often. A look-up that
   * throws does not count as failed.
   */
  run<T>(source: string, lookUp: () => Promise<T>, succeeded: (found: T) => boolean): Promise<T>;
  /** Runs a look-up after a delay of at most `waitMsMax`: the look-up is neither refused, nor queued behind others. */
  runSoon<T>(source: string, lookUp: () => Promise<T>, succeeded: (found: T) => boolean, waitMsMax: number): Promise<T>;
}

/**
 * Creates a throttle that slows guessing down and refuses no good key as wrong: only failed look-ups are charged to
 * their source. A source without failures is not delayed, since behind a proxy it may be many users at once.
 */
export function createLookUpThrottle(
  clock: Clock,
  { burst, intervalMs, waitMsMax }: ThrottleLimits = keyLimits,
): LookUpThrottle {
  const failures = new RateLimiter({ intervalMs, burst, keysMax: sourcesMax, now: () => clock.now() });
  const lookUps = new Semaphore({
    limit: Infinity,
    quotaPerKey: burst,
    queueMaxPerKey: waitingMax,
    refuse: () => new BusyError({ quota: 'key_guesses' }),
  });
  const runThrottled = async <T>(
    source: string,
    lookUp: () => Promise<T>,
    succeeded: (found: T) => boolean,
    waitMs: number,
  ): Promise<T> => {
    // A delayed look-up is charged in advance; otherwise all look-ups that wait would continue at the same time.
    const charged = waitMs > 0;
    if (charged) {
      failures.charge(source);
      await clock.sleep(waitMs);
    }
    let failed = false;
    try {
      const found = await lookUp();
      failed = !succeeded(found);
      return found;
    } finally {
      if (failed !== charged) failures.charge(source, failed ? 1 : -1);
    }
  };
  return {
    run(name, lookUp, succeeded) {
      const source = sourceOf(name);
      const throttled = async () => {
        const waitMs = failures.waitMs(source);
        if (waitMs > waitMsMax) throw new BusyError({ quota: 'key_guesses', details: { waitMs } });
        return runThrottled(source, lookUp, succeeded, waitMs);
      };
      return lookUps.run(throttled, { key: source, timeoutMs: queueMsMax });
    },
    runSoon(name, lookUp, succeeded, waitMsMaxOfThis) {
      const source = sourceOf(name);
      return runThrottled(source, lookUp, succeeded, Math.min(failures.waitMs(source), waitMsMaxOfThis));
    },
  };
}
