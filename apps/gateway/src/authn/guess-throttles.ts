import { BusyError } from '@trunkline/contracts';
import { RateLimiter, Semaphore } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import { sourceOf } from '../http/network.ts';

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

/** A sign-in as a name, from a source. */
interface NamedAttempt {
  readonly name: string;
  readonly source: string;
  /** Whether the user of that name has signed in from the source before. */
  readonly isUsual: boolean;
}

/** Runs a check of a name's password, after a delay when there were wrong ones; throws BusyError. */
type NameThrottle = (attempt: NamedAttempt, check: () => Promise<boolean>) => Promise<boolean>;

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

/**
 * Runs a change of the password by a session, delayed after wrong current passwords of the same session; throws the
 * error of the change, or BusyError. So a stolen session cannot be used to guess the password, and delays no other one.
 */
export type PasswordThrottle = (sessionId: number | undefined, change: () => Promise<unknown>) => Promise<void>;

const limits = { burst: 5, intervalMs: 1_000, waitMsMax: 5_000 };

export function createPasswordThrottle(clock: Clock): PasswordThrottle {
  const throttle = createLookUpThrottle(clock, limits);
  return async (sessionId, change) => {
    const tried = () =>
      change().then(
        () => null,
        (error: unknown) => error,
      );
    const failure = await throttle.run(`session ${sessionId}`, tried, (thrown) => thrown === null);
    if (failure !== null) throw failure;
  };
}
