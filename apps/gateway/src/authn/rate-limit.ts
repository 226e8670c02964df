import { BusyError } from '@trunkline/contracts';
import { RateLimiter } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import type { Authenticate } from './authenticate.ts';

const keysMax = 10_000;

/** Error of a call beyond the rate limit of its API key; the client receives the text of BusyError. */
export class RateLimitedError extends BusyError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super({ quota: 'key_rate', details: { waitMs } });
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  }
}

export interface RateLimit {
  /** Calls a second of one key; 0 for no limit. */
  readonly perSecond: number;
  /** Number of calls that are accepted in immediate succession. */
  readonly burst: number;
}

/** Limits the rate of calls of each key; beyond `keysMax` keys, only the most recently used ones are limited. */
export function limitRate(authenticate: Authenticate, clock: Clock, { perSecond, burst }: RateLimit): Authenticate {
  if (perSecond === 0) return authenticate;
  const limiter = new RateLimiter({ intervalMs: 1_000 / perSecond, burst, keysMax, now: () => clock.now() });
  return async (apiKey, ip) => {
    const caller = await authenticate(apiKey, ip);
    // A refused call is not charged: a client that keeps calling too often still gets `perSecond` calls a second.
    const waitMs = limiter.take(String(caller.apiKeyId));
    if (waitMs > 0) throw new RateLimitedError(waitMs);
    return caller;
  };
}
