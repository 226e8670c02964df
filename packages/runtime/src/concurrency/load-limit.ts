export interface LimitBounds {
  readonly min: number;
  readonly max: number;
}

/** What is added in a step without overload: one in ten steps, so that a burst that ends is not followed by one. */
const step = 0.1;
const pauseMsMax = 1_000;

/**
 * Returns the next limit of what runs at once: it is halved by overload and grows slowly without, as the window of a TCP
 * connection. Below one, what has run is followed by a pause, so that one runs for that part of the time.
 */
export function nextLoadLimit(limit: number, isOverloaded: boolean, { min, max }: LimitBounds): number {
  const next = isOverloaded ? limit / 2 : limit + step;
  return Math.min(Math.max(next, min), max);
}

/** Returns the pause, in milliseconds, after what has run for `ms` milliseconds. */
export function pauseAfter(ms: number, limit: number): number {
  return limit >= 1 ? 0 : Math.min(ms * (1 / limit - 1), pauseMsMax);
}
