import { BusyError } from '@trunkline/contracts';
import { RateLimiter } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import type { Authenticate } from './authenticate.ts';

const keysMax = 10_000;

/** A key has made more calls than it may; the client gets the text of a busy service. */
export class RateLimitedError extends BusyError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super({ details: { waitMs } });
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  }
}

export interface RateLimit {
  /** 0 for no limit. */
  readonly perSecond: number;
  /** How many calls are accepted in immediate succession. */
  readonly burst: number;
}

/** Limits the calls of each key; beyond `keysMax` keys only those used last are limited. */
export function limitRate(authenticate: Authenticate, clock: Clock, { perSecond, burst }: RateLimit): Authenticate {
  if (perSecond === 0) return authenticate;
  const limiter = new RateLimiter({ intervalMs: 1_000 / perSecond, burst, keysMax, now: () => clock.now() });
  return async (apiKey, ip) => {
    const caller = await authenticate(apiKey, ip);
    // A call that is refused is not charged: a client that goes on calling too often still gets its rate.
    const waitMs = limiter.take(String(caller.apiKeyId));
    if (waitMs > 0) throw new RateLimitedError(waitMs);
    return caller;
  };
}
