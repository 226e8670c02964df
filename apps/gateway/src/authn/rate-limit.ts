import { BusyError } from '@trunkline/contracts';
import { RateLimiter } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import type { Authenticate } from './authenticate.ts';
import { sourceOf } from '../http/network.ts';

/** Keys, or addresses, that are limited: the most recently seen ones. */
const keysMax = 10_000;

/** Error of a call beyond the rate limit of its API key; the client receives the text of BusyError. */
export class RateLimitedError extends BusyError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number, quota: 'key_rate' | 'address_rate' = 'key_rate') {
    super({ quota, details: { waitMs } });
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  }
}

/** Error of a request without a login beyond the rate of its address. */
export class AddressRateError extends RateLimitedError {
  constructor(waitMs: number) {
    super(waitMs, 'address_rate');
  }
}

export interface RateLimit {
  /** Requests a second of one key, or one address; 0 for no limit. */
  readonly perSecond: number;
  /** Number of requests that are accepted in immediate succession. */
  readonly burst: number;
}

/**
 * Returns a function that throws the error for a request beyond the rate of its key. A refused request is not charged: a
 * client that keeps calling too often still gets `perSecond` calls a second.
 */
function createRateLimit(
  clock: Pick<Clock, 'now'>,
  { perSecond, burst }: RateLimit,
  refuse: (waitMs: number) => RateLimitedError,
): (key: string) => void {
  if (perSecond === 0) return () => {};
  const limiter = new RateLimiter({ intervalMs: 1_000 / perSecond, burst, keysMax, now: () => clock.now() });
  return (key) => {
    const waitMs = limiter.take(key);
    if (waitMs > 0) throw refuse(waitMs);
  };
}

/** Limits the rate of calls of each API key. */
export function limitRate(authenticate: Authenticate, clock: Clock, limit: RateLimit): Authenticate {
  const requireRate = createRateLimit(clock, limit, (waitMs) => new RateLimitedError(waitMs));
  return async (apiKey, ip) => {
    const caller = await authenticate(apiKey, ip);
    requireRate(String(caller.apiKeyId));
    return caller;
  };
}

/** Throws AddressRateError for a request beyond the rate of its address; all of an IPv6 /64 count as one. */
export type RequireAddressRate = (ip: string) => void;

/** Limits the rate of requests of each address. */
export function limitAddresses(clock: Pick<Clock, 'now'>, limit: RateLimit): RequireAddressRate {
  const requireRate = createRateLimit(clock, limit, (waitMs) => new AddressRateError(waitMs));
  return (ip) => requireRate(sourceOf(ip));
}
