/** The limit while nobody is to be protected, or nothing is overloaded. */
export const unlimited = Infinity;
/** Number of requests of heavy sources that run at once under overload, at most and at least. */
const heavyMax = 64;
const heavyMin = 1;
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
  if (isOverloaded) return Math.max(heavyMin, Math.floor(Math.min(limit, heavyMax) / 2));
  return limit + step < heavyMax ? limit + step : unlimited;
}
