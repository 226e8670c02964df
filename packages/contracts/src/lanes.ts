/** How long one call of a lane may take by default, in milliseconds (docs/architecture.md, Lanes). */
export const lanes = {
  metadata: { timeoutMs: 5_000 },
  storage: { timeoutMs: 30_000 },
  /** Files and archives: the time runs until the answer begins; the slot is held until the client has read all of it. */
  download: { timeoutMs: 30_000 },
  transfer: { timeoutMs: 3_600_000 },
} as const;

export type Lane = keyof typeof lanes;

export const laneNames: readonly Lane[] = ['metadata', 'storage', 'download', 'transfer'];
