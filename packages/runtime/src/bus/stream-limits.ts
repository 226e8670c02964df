/** Nobody is sent more than this as an answer of known length. */
export const answerBytesMax = 64 * 1024 * 1024;

/** So much may wait in a worker, lane by lane, to be taken by slow readers; who asks for more is sent away. */
export const heldBytesMax = 4 * answerBytesMax;

/** Who has not been heard for so long is gone. */
export const idleMs = 10_000;
export const beatMs = 2_500;

/** A reader that takes nothing for so long has its transfer ended: it would hold the answer in its worker for ever. */
export const stallMs = 60_000;

const chunkBytesMax = 256 * 1024;

export interface StreamLimits {
  readonly chunkBytes: number;
  /** So much may be under way; it is renewed by quarters. */
  readonly windowBytes: number;
  /** The largest answer that is one message. */
  readonly messageBytes: number;
}

/** Sizes that fit a bus whose messages are at most this large. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(chunkBytesMax, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes, messageBytes: 2 * chunkBytes };
}
