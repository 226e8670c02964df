/** Time without any frame, such as a heartbeat, after which a peer is considered dead. */
export const idleMs = 10_000;
export const heartbeatMs = 2_500;

/** Time without reading after which a stream is ended, since its worker holds the unread answer meanwhile. */
export const stallMs = 60_000;

export interface StreamLimits {
  readonly chunkBytes: number;
  /** Maximum number of bytes in flight; credit is renewed by eighths of the window. */
  readonly windowBytes: number;
}

/** Returns the stream sizes for a server with this `max_payload`. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(256 * 1024, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes };
}
