const kinds = ['open', 'credit', 'data', 'end', 'heartbeat', 'cancel'] as const;

/**
 * Frame of one message of a stream; a stream carries an answer that is too large for one message.
 *
 * - `open`, from the worker, instead of the answer: the answer's length, if known; credit goes to the reply subject.
 * - `credit`, from the gateway: the number of bytes that the worker may send, counted from the first byte of the
 *   stream; data goes to the reply subject.
 * - `data`, from the worker: a payload, and the offset of its first byte.
 * - `end`, from the worker: the number of bytes sent.
 * - `heartbeat`, from the worker. The gateway repeats its credit as its heartbeat.
 * - `cancel`, from either side: the stream has ended early.
 */
export interface StreamFrame {
  readonly kind: (typeof kinds)[number];
  /** The number that the kind has; null for `heartbeat`, `cancel` and an `open` of unknown length. */
  readonly bytes: number | null;
}

/** NATS header that holds the encoded frame. */
export const streamHeader = 'Trunkline-Stream';

const pattern = /^([a-z]+)(?: (\d{1,15}))?$/;

export function encodeStreamFrame({ kind, bytes }: StreamFrame): string {
  return bytes === null ? kind : `${kind} ${bytes}`;
}

/** Decodes the frame in a header; returns null for any other text. */
export function decodeStreamFrame(text: string): StreamFrame | null {
  const [, word, digits] = pattern.exec(text) ?? [];
  const kind = kinds.find((one) => one === word);
  return kind ? { kind, bytes: digits === undefined ? null : Number(digits) } : null;
}
