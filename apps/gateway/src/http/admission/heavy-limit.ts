import { nextLoadLimit } from '@trunkline/runtime/concurrency';

/** The limit while nobody is to be protected. */
export const unlimited = Infinity;
/**
 * Number of requests of heavy sources that run at once while somebody is to be protected. So many keep a gateway busy,
 * and no more run until the first overload is seen.
 */
export const heavyMax = 16;
/** Below one, a request is followed by a pause, so that one of them runs for that part of the time. */
const bounds = { min: 0.125, max: heavyMax };
/** Overload comes at once with many requests, so that the limit begins to fall from here. */
const overloadedMax = 4;

interface LoadSeen {
  readonly isOverloaded: boolean;
  /** Whether a light source has sent a request lately. */
  readonly hasLight: boolean;
}

/** Returns the next limit of the requests of heavy sources. */
export function nextHeavyLimit(limit: number, { isOverloaded, hasLight }: LoadSeen): number {
  if (!hasLight) return unlimited;
  return nextLoadLimit(isOverloaded ? Math.min(limit, overloadedMax) : limit, isOverloaded, bounds);
}
