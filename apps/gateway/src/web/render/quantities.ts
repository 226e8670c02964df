const ageUnits = [
  ['year', 365 * 24 * 3_600],
  ['month', 30 * 24 * 3_600],
  ['week', 7 * 24 * 3_600],
  ['day', 24 * 3_600],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function ageOf(seconds: number): string {
  const unit = ageUnits.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return 'just now';
  const [name, length] = unit;
  const count = Math.floor(Math.abs(seconds) / length);
  const span = `${count} ${name}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `in ${span}` : `${span} ago`;
}

interface Age {
  /** The age in words, such as `3 days ago`. */
  readonly text: string;
  /** The exact time, such as `2026-11-21 09:50:26 UTC`; empty for an invalid date. */
  readonly title: string;
}

/** Returns the age of a date. Dates of changesets come from their authors, and may be invalid. */
export function age(date: Date, now: Date): Age {
  if (Number.isNaN(date.getTime())) return { text: 'at an unknown time', title: '' };
  const title = `${date.toISOString().slice(0, -5).replace('T', ' ')} UTC`;
  return { text: ageOf((now.getTime() - date.getTime()) / 1_000), title };
}

const durationUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a duration in its largest unit and the next one, such as `2 hours 5 minutes`, `12 s` or `0.4 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.max(seconds, 0).toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const at = durationUnits.findIndex(([, length]) => seconds >= length);
  let left = seconds;
  const parts = durationUnits.slice(at, at + 2).map(([name, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? null : `${count} ${name}${count === 1 ? '' : 's'}`;
  });
  return parts.filter((part) => part !== null).join(' ');
}
