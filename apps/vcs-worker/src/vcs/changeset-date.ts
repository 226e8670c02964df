const secondsMin = -62_135_596_800;
const secondsMax = 253_402_300_799;

/** A time as a changeset tells it, kept within the years 1 to 9999; what is no number is 1970, as git reads it. */
export function changesetDate(seconds: number): Date {
  if (Number.isNaN(seconds)) return new Date(0);
  return new Date(Math.min(Math.max(seconds, secondsMin), secondsMax) * 1_000);
}
