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
/** Files from this size on are copied by a child where both ends are in one process; below, its start takes too long. */
export const handedFileBytes = 16 * 1024 * 1024;
/** Files that children copy at once, for one tree. */
export const handedAtOnce = 2;
/** Small files that are read or written at once. */
export const filesAtOnce = 32;
