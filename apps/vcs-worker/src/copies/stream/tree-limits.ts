/** Limits of a tree that is copied; both ends keep to them. */
export const treeLimits = {
  entries: 5_000_000,
  depth: 128,
  pathBytes: 3_500,
  /** Hard links within a tree that are kept; further files with several names are sent once for each name. */
  linkedFiles: 65_536,
} as const;

/** Files up to this size are read and written whole, and several at once. */
export const smallFileBytes = 64 * 1024;
/** Small files that are read or written at once. */
export const filesAtOnce = 32;
