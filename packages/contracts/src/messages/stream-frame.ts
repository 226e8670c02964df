const kinds = ['open', 'credit', 'data', 'end', 'beat', 'cancel'] as const;

/**
 * What a message of a transfer is: an answer too large for one message, which travels in chunks.
 *
 * - `open`, from the worker, in the place of the answer: its length, if known; credit goes to the reply subject.
 * - `credit`, from the gateway: so many bytes may be sent, counted from the first; data goes to the reply subject.
 * - `data`, from the worker: the payload is what begins at this byte.
 * - `end`, from the worker: so many bytes were sent.
 * - `beat`, from the worker: it is still there. The gateway says so by repeating its credit.
 * - `cancel`, from either: it is over.
 */
export interface StreamFrame {
  readonly kind: (typeof kinds)[number];
  readonly bytes: number | null;
}

/** The header in which a frame stands. */
export const streamHeader = 'Trunkline-Stream';

const pattern = /^([a-z]+)(?: (\d{1,15}))?$/;

export function encodeStreamFrame({ kind, bytes }: StreamFrame): string {
  return bytes === null ? kind : `${kind} ${bytes}`;
}

/** Null for anything that is no frame. */
export function decodeStreamFrame(text: string): StreamFrame | null {
  const [, word, digits] = pattern.exec(text) ?? [];
  const kind = kinds.find((one) => one === word);
  return kind ? { kind, bytes: digits === undefined ? null : Number(digits) } : null;
}
