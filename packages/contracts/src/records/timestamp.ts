import * as v from 'valibot';

/** UTC, ISO 8601 without zone, milliseconds only when they are not zero. */
export const timestamp = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?$/));

/** A point in time as every record shows it. */
export function toTimestamp(date: Date): string {
  const iso = date.toISOString();
  return iso.endsWith('.000Z') ? iso.slice(0, -5) : iso.slice(0, -1);
}

/** A changeset's date: as a time stamp, without a fraction. */
export function toChangesetDate(date: Date): string {
  return date.toISOString().slice(0, -5);
}
