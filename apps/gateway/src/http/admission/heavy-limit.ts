/** The limit while nobody is to be protected. */
export const unlimited = Infinity;
/**
 * Number of requests of heavy sources that run at once while somebody is to be protected. So many keep a gateway busy,
 * and no more run until the first overload is seen.
 */
export const heavyMax = 16;
/** Below one, a request is followed by a pause, so that one of them runs for that part of the time. */
const limitMin = 0.125;
/** Overload comes at once with many requests, so that the limit begins to fall from here. */
const overloadedMax = 4;
/** What is added in a step without overload: one in ten steps, so that a burst that ends is not followed by one. */
const step = 0.1;
const pauseMsMax = 1_000;

interface LoadSeen {
  readonly isOverloaded: boolean;
  /** Whether a light source has sent a request lately. */
  readonly hasLight: boolean;
}

/**
 * Returns the next limit of the requests of heavy sources: it is halved by overload and grows slowly without, as the
 * window of a TCP connection.
 */
export function nextHeavyLimit(limit: number, { isOverloaded, hasLight }: LoadSeen): number {
  if (!hasLight) return unlimited;
  const next = isOverloaded ? Math.min(limit, overloadedMax) / 2 : limit + step;
  return Math.min(Math.max(next, limitMin), heavyMax);
}

/** Returns the pause, in milliseconds, after a request that has run for `ms` milliseconds. */
export function pauseAfter(ms: number, limit: number): number {
  return limit >= 1 ? 0 : Math.min(ms * (1 / limit - 1), pauseMsMax);
}
