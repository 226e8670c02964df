/** The lanes, with the default time limit of one call in milliseconds (docs/architecture.md, Lanes). */
export const lanes = {
  metadata: { timeoutMs: 5_000 },
  storage: { timeoutMs: 30_000 },
  /** Files and archives: the time limit is for the answer to begin; the slot is held until the client has read it. */
  download: { timeoutMs: 30_000 },
  transfer: { timeoutMs: 3_600_000 },
} as const;

export type Lane = keyof typeof lanes;

export const laneNames: readonly Lane[] = ['metadata', 'storage', 'download', 'transfer'];
