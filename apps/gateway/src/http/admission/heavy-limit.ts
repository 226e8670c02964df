import { nextLoadLimit } from '@trunkline/runtime/concurrency';

/** The limit while nobody is to be protected, or nothing is overloaded. */
export const unlimited = Infinity;
/** Number of requests of heavy sources that run at once under overload, at least and at most. */
const bounds = { min: 0.125, max: 64 };
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
  const next = nextLoadLimit(isOverloaded ? Math.min(limit, overloadedMax) : limit, isOverloaded, bounds);
  return next < bounds.max ? next : unlimited;
}
