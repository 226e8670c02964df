import * as v from 'valibot';

/** Schema of a time stamp: UTC, ISO 8601 without a zone, with milliseconds only when they are not zero. */
export const timestamp = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?$/));

/** Formats a date as the time stamp of a record. */
export function toTimestamp(date: Date): string {
  const iso = date.toISOString();
  return iso.endsWith('.000Z') ? iso.slice(0, -5) : iso.slice(0, -1);
}

/** Formats the date of a changeset as a time stamp without milliseconds. */
export function toChangesetDate(date: Date): string {
  return date.toISOString().slice(0, -5);
}

/** The bytes that repositories take on the disk, for administrators. */
export const StoredSize = v.strictObject({
  size_bytes: v.number(),
  /** Number of repositories whose size is not known, and counts 0. */
  size_unknown: v.number(),
});

/** Whether the call changed anything, and a message about the present state. */
export const Outcome = v.strictObject({ success: v.boolean(), msg: v.string() });
