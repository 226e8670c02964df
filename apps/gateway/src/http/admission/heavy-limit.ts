/** The limit while nobody is to be protected, or nothing is overloaded. */
export const unlimited = Infinity;
/**
 * Number of requests of heavy sources that run at once under overload, at most and at least; below one, a request is
 * followed by a pause, so that one of them runs for that part of the time.
 */
const heavyMax = 64;
const heavyMin = 0.125;
/** Overload comes at once with many requests, so that the limit begins to fall from here. */
const overloadedMax = 4;
const pauseMsMax = 1_000;
/** What is added in a step without overload: one request in ten steps, so that a burst that ends is not followed by one. */
const step = 0.1;

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
  if (isOverloaded) return Math.max(heavyMin, Math.min(limit, overloadedMax) / 2);
  return limit + step < heavyMax ? limit + step : unlimited;
}

/** Returns the pause, in milliseconds, after a request that has run for `ms` milliseconds. */
export function pauseAfter(ms: number, limit: number): number {
  return limit >= 1 ? 0 : Math.min(ms * (1 / limit - 1), pauseMsMax);
}
