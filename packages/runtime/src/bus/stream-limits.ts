/** The largest answer of known length. */
export const answerBytesMax = 64 * 1024 * 1024;

/** The bytes of answers that wait in a worker for slow readers, for each lane; calls beyond it get "unavailable". */
export const heldBytesMax = 4 * answerBytesMax;

/** A peer without a heartbeat for so long is considered dead. */
export const idleMs = 10_000;
export const heartbeatMs = 2_500;

/** A reader that reads nothing for so long has its stream ended, since the answer stays in its worker meanwhile. */
export const stallMs = 60_000;

const chunkBytesMax = 256 * 1024;

export interface StreamLimits {
  readonly chunkBytes: number;
  /** The bytes in flight at most; credit is renewed by quarters of the window. */
  readonly windowBytes: number;
  /** The largest answer that is one message. */
  readonly messageBytes: number;
}

/** Stream sizes for a server with this `max_payload`. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(chunkBytesMax, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes, messageBytes: 2 * chunkBytes };
}
