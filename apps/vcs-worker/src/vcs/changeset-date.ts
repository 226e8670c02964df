const secondsMin = -62_135_596_800;
const secondsMax = 253_402_300_799;

/**
 * Returns a changeset's time from its seconds since 1970, clamped to the years 1 to 9999. NaN, which stands for an
 * unreadable date, becomes the beginning of 1970, as git reads it.
 */
export function changesetDate(seconds: number): Date {
  if (Number.isNaN(seconds)) return new Date(0);
  return new Date(Math.min(Math.max(seconds, secondsMin), secondsMax) * 1_000);
}
