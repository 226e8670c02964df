import { isIPv6 } from 'node:net';
import { BusyError } from '@trunkline/contracts';
import { RateLimiter, Semaphore } from '@trunkline/runtime/concurrency';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';

/** The rate at which the look-ups of a source may fail. */
export interface ThrottleLimits {
  /** How many failures are free of delay, and how many look-ups of a source run at once. */
  readonly burst: number;
  /** The interval of failures beyond the burst, in milliseconds. */
  readonly costMs: number;
  /** A look-up that would wait longer is refused with BusyError. */
  readonly waitMsMax: number;
}

const keyLimits: ThrottleLimits = { burst: 50, costMs: 100, waitMsMax: 3_000 };

const sourcesMax = 10_000;
const waitingMax = 1_000;

export interface LookUpThrottle {
  /** Runs a look-up for a source, such as an address, after a delay when the source has failed often. */
  run<T>(source: string, lookUp: () => Promise<T>, succeeded: (found: T) => boolean): Promise<T>;
}

/** One host owns a whole /64 of IPv6 addresses. */
function sourceOf(name: string): string {
  return isIPv6(name) ? ipaddr.IPv6.parse(name).parts.slice(0, 4).join(':') : name;
}

/**
 * Slows down guessing without ever turning a good key away for a bad one: only failures are charged to a source. A
 * source without failures pays nothing, since behind a proxy it may be many users at once.
 */
export function createLookUpThrottle(
  clock: Clock,
  { burst, costMs, waitMsMax }: ThrottleLimits = keyLimits,
): LookUpThrottle {
  const failures = new RateLimiter({ intervalMs: costMs, burst, keysMax: sourcesMax, now: () => clock.now() });
  const lookUps = new Semaphore({
    limit: Infinity,
    quotaPerKey: burst,
    queueMaxPerKey: waitingMax,
    refuse: () => new BusyError(),
  });
  return {
    run(name, lookUp, succeeded) {
      const source = sourceOf(name);
      const throttled = async () => {
        const waitMs = failures.waitMs(source);
        if (waitMs > waitMsMax) throw new BusyError({ details: { waitMs } });
        // A look-up that has to wait is charged in advance: otherwise all that wait would go on together.
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
      return lookUps.run(throttled, { key: source });
    },
  };
}
