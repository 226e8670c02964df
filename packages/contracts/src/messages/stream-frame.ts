const kinds = ['open', 'credit', 'data', 'end', 'heartbeat', 'cancel'] as const;

/**
 * The kind of one message of a stream, which carries an answer too large for one message.
 *
 * - `open`, from the worker, instead of the answer: its length, if known; credit goes to the reply subject.
 * - `credit`, from the gateway: how many bytes may be sent, counted from the first; data goes to the reply subject.
 * - `data`, from the worker: a payload, and the offset of its first byte.
 * - `end`, from the worker: how many bytes were sent.
 * - `heartbeat`, from the worker. The gateway's heartbeat is its repeated credit.
 * - `cancel`, from either side: the stream has ended early.
 */
export interface StreamFrame {
  readonly kind: (typeof kinds)[number];
  readonly bytes: number | null;
}

/** The NATS header that holds the frame. */
export const streamHeader = 'Trunkline-Stream';

const pattern = /^([a-z]+)(?: (\d{1,15}))?$/;

export function encodeStreamFrame({ kind, bytes }: StreamFrame): string {
  return bytes === null ? kind : `${kind} ${bytes}`;
}

/** The frame that a header spells; null for anything else. */
export function decodeStreamFrame(text: string): StreamFrame | null {
  const [, word, digits] = pattern.exec(text) ?? [];
  const kind = kinds.find((one) => one === word);
  return kind ? { kind, bytes: digits === undefined ? null : Number(digits) } : null;
}
