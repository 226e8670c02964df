import * as v from 'valibot';

/** The bytes that repositories take on the disk, for administrators. */
export const StoredSize = v.strictObject({
  size_bytes: v.number(),
  /** Number of repositories whose size is not known, and counts 0. */
  size_unknown: v.number(),
});
