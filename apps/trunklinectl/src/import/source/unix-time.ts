/** The latest time that a Date has, in seconds since 1970. */
const secondsMax = 8_640_000_000_000;

/** Returns a number of seconds since 1970 as a date; null for one that no date has. */
export function fromUnixTime(seconds: number): Date | null {
  return seconds >= 0 && seconds <= secondsMax ? new Date(seconds * 1_000) : null;
}
