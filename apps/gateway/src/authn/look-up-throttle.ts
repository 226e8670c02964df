import { isIPv6 } from 'node:net';
import { BusyError } from '@trunkline/contracts';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';

/** How fast a source may fail. */
export interface ThrottleLimits {
  /** How many times at full speed, and how much is done for it at once. */
  readonly burst: number;
  /** How far apart afterwards. */
  readonly costMs: number;
  /** Who would wait longer hears that the service is busy. */
  readonly waitMsMax: number;
}

const keyLimits: ThrottleLimits = { burst: 50, costMs: 100, waitMsMax: 3_000 };

const sourcesMax = 10_000;
const waitingMax = 1_000;

export interface LookUpThrottle {
  /** Runs a look-up for a source, such as an address, later when it has failed often; one that succeeds costs nothing. */
  run<T>(source: string, lookUp: () => Promise<T>, succeeded: (found: T) => boolean): Promise<T>;
}

/** One host owns a whole /64 of IPv6 addresses. */
function sourceOf(name: string): string {
  return isIPv6(name) ? ipaddr.IPv6.parse(name).parts.slice(0, 4).join(':') : name;
}

interface Source {
  /** When all failures are paid off. */
  paidAt: number;
  inFlight: number;
  readonly waiting: (() => void)[];
}

/** Runs work of one source, so much of it at once; the rest waits its turn. */
async function inTurn<T>(source: Source, atOnceMax: number, work: () => Promise<T>): Promise<T> {
  if (source.inFlight < atOnceMax) source.inFlight += 1;
  else if (source.waiting.length >= waitingMax) throw new BusyError();
  else await new Promise<void>((resolve) => source.waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = source.waiting.shift();
    if (next) next();
    else source.inFlight -= 1;
  }
}

/**
 * Slows down guessing without ever turning a good key away for a bad one. For each source it keeps the moment
 * at which all its failures are paid off; what lies further ahead than a burst must wait. A source without
 * failures pays nothing: behind a proxy it may be many users at once.
 */
export function createLookUpThrottle(
  clock: Clock,
  { burst, costMs, waitMsMax }: ThrottleLimits = keyLimits,
): LookUpThrottle {
  const sources = new LRUCache<string, Source>({ max: sourcesMax });
  const sourceAt = (name: string): Source => {
    const known = sources.get(name);
    if (known) return known;
    const made = { paidAt: 0, inFlight: 0, waiting: [] };
    sources.set(name, made);
    return made;
  };
  return {
    run(name, lookUp, succeeded) {
      const source = sourceAt(sourceOf(name));
      const add = (ms: number) => {
        source.paidAt = Math.max(source.paidAt, clock.now()) + ms;
      };
      return inTurn(source, burst, async () => {
        const waitMs = source.paidAt - clock.now() - costMs * (burst - 1);
        if (waitMs > waitMsMax) throw new BusyError({ details: { waitMs } });
        // Who must wait pays in advance, or all who wait would go on together.
        const paid = waitMs > 0;
        if (paid) {
          add(costMs);
          await clock.sleep(waitMs);
        }
        let failed = false;
        try {
          const found = await lookUp();
          failed = !succeeded(found);
          return found;
        } finally {
          if (failed !== paid) add(failed ? costMs : -costMs);
        }
      });
    },
  };
}
