import { RateLimiter } from '@trunkline/runtime/concurrency';
import type { Clock } from '../../clock.ts';
import { createLookUpThrottle } from '../look-up-throttle.ts';

/** A sign-in as a name, from a source. */
export interface NamedAttempt {
  readonly name: string;
  readonly source: string;
  /** Whether the user of that name has signed in from the source before. */
  readonly isUsual: boolean;
}

/** Runs a check of a name's password, after a delay when there were wrong ones; throws BusyError. */
export type NameThrottle = (attempt: NamedAttempt, check: () => Promise<boolean>) => Promise<boolean>;

const nameLimits = { burst: 5, intervalMs: 1_000, waitMsMax: 5_000 };
/** Wrong passwords for one name after which a source is no longer a new one, and for how long each of them counts. */
const newSource = { burst: 3, intervalMs: 600_000, keysMax: 10_000 };
const newSourceWaitMsMax = 2_000;

/**
 * Creates the throttle of guesses of one user's password. Guesses of others delay neither a user who has signed in from
 * the address before, nor, by more than two seconds, the first attempts from a new address; otherwise anybody could
 * keep a user from signing in. Addresses that have guessed share what the name has left.
 */
export function createNameThrottle(clock: Clock): NameThrottle {
  const throttle = createLookUpThrottle(clock, nameLimits);
  const guesses = new RateLimiter({ ...newSource, now: () => clock.now() });
  const isRight = (right: boolean) => right;

  const runAsNew = async (name: string, pair: string, check: () => Promise<boolean>) => {
    // Charged in advance, so that many attempts at the same time are not all the first ones.
    guesses.charge(pair);
    let failed = false;
    try {
      const right = await throttle.runSoon(name, check, isRight, newSourceWaitMsMax);
      failed = !right;
      return right;
    } finally {
      if (!failed) guesses.charge(pair, -1);
    }
  };

  return ({ name, source, isUsual }, check) => {
    // No typed name holds a NUL, so that no guess for another name is charged to this pair.
    const pair = `${name}\0${source}`;
    if (isUsual) return throttle.run(pair, check, isRight);
    return guesses.waitMs(pair) > 0 ? throttle.run(name, check, isRight) : runAsNew(name, pair, check);
  };
}
