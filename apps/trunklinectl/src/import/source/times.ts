const dateGrammar = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/;

/** Returns the wall clock of a zone at an instant, as if it were UTC. */
function wallClock(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/**
 * Returns the instant of a local time without a zone, which is how the other program stores its dates; null for any
 * other text. An hour that a zone has twice is taken as the first one.
 */
export function parseLocalTime(text: string | null, zone: string): Date | null {
  const [, ...fields] = dateGrammar.exec(text ?? '') ?? [];
  const [year, month, day, hour, minute, second] = fields.slice(0, 6).map(Number);
  if (!year || !month || !day || hour === undefined || minute === undefined || second === undefined) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  const millis = Number((fields[6] ?? '0').padEnd(3, '0').slice(0, 3));
  // The offset before and after the instant differ where a zone changes its clock.
  const [before, after] = [-86_400_000, 86_400_000].map((shift) => wallClock(zone, local + shift) - (local + shift));
  const candidates = [before ?? 0, after ?? 0].map((offset) => local - offset);
  const found = candidates.find((at) => wallClock(zone, at) === local) ?? candidates[0] ?? local;
  return new Date(found + millis);
}

/** Returns whether this is the name of a time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The latest time that a Date has, in seconds since 1970. */
const secondsMax = 8_640_000_000_000;

/** Returns a number of seconds since 1970 as a date; null for one that no date has. */
export function fromUnixTime(seconds: number): Date | null {
  return seconds >= 0 && seconds <= secondsMax ? new Date(seconds * 1_000) : null;
}
