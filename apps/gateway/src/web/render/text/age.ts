const units = [
  ['year', 365 * 24 * 3_600],
  ['month', 30 * 24 * 3_600],
  ['week', 7 * 24 * 3_600],
  ['day', 24 * 3_600],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function ageOf(seconds: number): string {
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return 'just now';
  const [name, length] = unit;
  const count = Math.floor(Math.abs(seconds) / length);
  const span = `${count} ${name}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `in ${span}` : `${span} ago`;
}

export interface Age {
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
