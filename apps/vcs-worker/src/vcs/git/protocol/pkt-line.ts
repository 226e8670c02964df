import { PushRefusedError, PushTooLargeError } from '../../push.ts';

const lengthPattern = /^[0-9a-f]{4}$/i;
const headBytes = 4;
/** Bytes of the longest line, its length included. */
const lineBytesMax = 65_520;

export const flushPacket = Buffer.from('0000');

/** Returns a line in the framing of git's protocol. */
export function pktLine(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const length = (bytes.length + headBytes).toString(16).padStart(headBytes, '0');
  return Buffer.concat([Buffer.from(length), bytes]);
}

export function malformed(): PushRefusedError {
  return new PushRefusedError('the request is malformed');
}

/** Reads the lines with which a request begins, then the rest of its bytes. */
export class PktReader {
  /** Bytes that have been read of the source. */
  received = 0;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #bytesMax: number;
  #buffered: Buffer = Buffer.alloc(0);
  #ended = false;

  /** Reading throws PushTooLargeError after `bytesMax` bytes. */
  constructor(source: AsyncIterable<Uint8Array>, bytesMax: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#bytesMax = bytesMax;
  }

  /** Whether nothing more comes. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Returns the next line; null for a flush packet and at the end of the source. */
  async line(): Promise<Buffer | null> {
    await this.#fill(headBytes);
    if (this.#buffered.length === 0) return null;
    const head = this.#buffered.toString('latin1', 0, headBytes);
    const length = lengthPattern.test(head) ? Number.parseInt(head, 16) : -1;
    if (length === 0) {
      this.#buffered = this.#buffered.subarray(headBytes);
      return null;
    }
    if (length <= headBytes || length > lineBytesMax) throw malformed();
    await this.#fill(length);
    if (this.#buffered.length < length) throw malformed();
    const line = this.#buffered.subarray(headBytes, length);
    this.#buffered = this.#buffered.subarray(length);
    return line;
  }

  /** Yields the bytes that no line has taken. A reader that stops leaves the rest to the next one. */
  async *rest(): AsyncGenerator<Uint8Array> {
    const begun = this.#buffered;
    this.#buffered = Buffer.alloc(0);
    if (begun.length > 0) yield begun;
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) yield piece;
  }

  async #fill(bytes: number): Promise<void> {
    while (this.#buffered.length < bytes) {
      const piece = await this.#next();
      if (piece === null) return;
      this.#buffered = Buffer.concat([this.#buffered, piece]);
    }
  }

  /** Returns the next piece of the source; null at its end. */
  async #next(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    const piece = await this.#source.next();
    if (piece.done === true) {
      this.#ended = true;
      return null;
    }
    this.received += piece.value.length;
    if (this.received > this.#bytesMax) {
      this.#ended = true;
      throw new PushTooLargeError(this.#bytesMax);
    }
    return piece.value;
  }
}

/** Splits a whole request into its lines, and the delimiters between them as null; null for a request in another form. */
export function pktLinesOf(body: Buffer): (string | null)[] | null {
  const lines: (string | null)[] = [];
  for (let at = 0; at < body.length;) {
    const head = body.toString('latin1', at, at + headBytes);
    const length = /^[0-9a-f]{4}$/.test(head) ? Number.parseInt(head, 16) : -1;
    if (length === 0) return at + headBytes === body.length ? lines : null;
    if (length !== 1 && (length <= headBytes || at + length > body.length)) return null;
    lines.push(length === 1 ? null : body.toString('latin1', at + headBytes, at + length).replace(/\n$/, ''));
    at += Math.max(length, headBytes);
  }
  return null;
}

/** More lines of references than the largest answer has; bounds the work on a flood of empty lines. */
const linesMax = 1_000_000;

/**
 * Returns whether an answer consists of whole pkt-lines and ends with a flush; isomorphic-git reads a truncated answer
 * as a complete one.
 */
export function isWholeAnswer(answer: Buffer): boolean {
  let at = 0;
  let flushed = false;
  for (let lines = 0; at < answer.length && lines < linesMax; lines += 1) {
    const digits = answer.toString('latin1', at, at + headBytes);
    const length = Number.parseInt(digits, 16);
    if (!lengthPattern.test(digits) || length === 2 || length === 3) return false;
    flushed = length === 0;
    at += Math.max(length, headBytes);
  }
  return flushed && at === answer.length;
}
