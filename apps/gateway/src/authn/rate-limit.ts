import { BusyError } from '@trunkline/contracts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Authenticate } from './authenticate.ts';

const keysMax = 10_000;

/** A key has made more calls than it may; the client hears what it hears from a busy service. */
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
  /** How many calls may come at once. */
  readonly burst: number;
}

/** Accepts of each key only so many calls; of more keys than it remembers the ones used last are counted. */
export function limitRate(authenticate: Authenticate, clock: Clock, { perSecond, burst }: RateLimit): Authenticate {
  if (perSecond === 0) return authenticate;
  const callMs = 1_000 / perSecond;
  // For each key the moment at which all its calls are paid off.
  const paidAt = new LRUCache<number, number>({ max: keysMax });
  return async (apiKey, ip) => {
    const caller = await authenticate(apiKey, ip);
    const now = clock.now();
    const paid = Math.max(now, paidAt.get(caller.apiKeyId) ?? now);
    const waitMs = paid - now - callMs * (burst - 1);
    // What is refused costs nothing: who goes on calling too often still gets his share.
    if (waitMs > 0) throw new RateLimitedError(waitMs);
    paidAt.set(caller.apiKeyId, paid + callMs);
    return caller;
  };
}
