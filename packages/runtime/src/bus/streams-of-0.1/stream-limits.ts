/** Largest answer of known length. */
export const answerBytesMax = 64 * 1024 * 1024;

/** Limit of the bytes of answers that a process holds for their readers; further calls with large answers get "busy". */
export const heldBytesMax = 4 * answerBytesMax;

/** Time without any frame, such as a heartbeat, after which a peer is considered dead. */
export const idleMs = 10_000;
export const heartbeatMs = 2_500;

/** Time without reading after which a stream is ended, since its worker holds the unread answer meanwhile. */
export const stallMs = 60_000;

export const chunkBytesMax = 256 * 1024;

export interface StreamLimits {
  readonly chunkBytes: number;
  /** Maximum number of bytes in flight; credit is renewed by eighths of the window. */
  readonly windowBytes: number;
  /** Largest answer that is sent as one message. */
  readonly messageBytes: number;
}

/** Returns the stream sizes for a server with this `max_payload`. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(chunkBytesMax, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes, messageBytes: 2 * chunkBytes };
}
