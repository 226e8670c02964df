import { BusyError } from '@trunkline/contracts';
import { RateLimiter } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import type { RateLimit } from './rate-limit.ts';
import { sourceOf } from './source-of.ts';

const sourcesMax = 10_000;

/** Error of a request without a login beyond the rate of its address. */
export class AddressRateError extends BusyError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super({ quota: 'address_rate', details: { waitMs } });
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  }
}

/** Throws AddressRateError for a request beyond the rate of its address; all of an IPv6 /64 count as one. */
export type RequireAddressRate = (ip: string) => void;

/** Limits the rate of requests of each address; beyond `sourcesMax`, only the most recently seen ones are limited. */
export function limitAddresses(clock: Pick<Clock, 'now'>, { perSecond, burst }: RateLimit): RequireAddressRate {
  if (perSecond === 0) return () => {};
  const limiter = new RateLimiter({
    intervalMs: 1_000 / perSecond,
    burst,
    keysMax: sourcesMax,
    now: () => clock.now(),
  });
  return (ip) => {
    // A refused request is not charged, as in the rate limit of keys.
    const waitMs = limiter.take(sourceOf(ip));
    if (waitMs > 0) throw new AddressRateError(waitMs);
  };
}
