interface LaneTimes {
  readonly timeoutMs: number;
  /** Time for which a gateway sends a call again that workers answer "busy"; ten seconds when absent. */
  readonly busyMs?: number;
  /** Whether calls hold their slots as long as clients read or send, rather than for the length of a call. */
  readonly heldLong?: true;
}

/** The lanes, with the default time limit of one call in milliseconds (docs/architecture/limits.md). */
export const lanes = {
  metadata: { timeoutMs: 5_000 },
  storage: { timeoutMs: 30_000 },
  /** Files and archives: the time limit is for the answer to begin; the slot is held until the client has read it. */
  download: { timeoutMs: 30_000, heldLong: true },
  transfer: { timeoutMs: 3_600_000, heldLong: true },
  /** Requests of git and Mercurial clients: as for downloads. A client that is refused gives up, so its calls wait longer. */
  wire: { timeoutMs: 60_000, busyMs: 30_000, heldLong: true },
  /** Pushes: the time limit is for the offer of a transfer; the slot is held until the push has ended. */
  'wire-push': { timeoutMs: 60_000, busyMs: 30_000, heldLong: true },
} as const satisfies Readonly<Record<string, LaneTimes>>;

export type Lane = keyof typeof lanes;

export const laneNames: readonly Lane[] = ['metadata', 'storage', 'download', 'transfer', 'wire', 'wire-push'];

/** Returns the time for which a call of a lane is sent again while workers are busy, in milliseconds. */
export function busyMsOf(lane: Lane): number {
  const times: LaneTimes = lanes[lane];
  return times.busyMs ?? 10_000;
}

export function isHeldLong(lane: Lane): boolean {
  const times: LaneTimes = lanes[lane];
  return times.heldLong ?? false;
}
