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

export function malformed(): PushRefusedError {
  return new PushRefusedError('the request is malformed');
}

const LENGTH = /^[0-9a-f]{4}$/iu;
// More lines of refs than fit into the largest answer; limits the work on a flood of empty pkt-lines.
const LINES_MAX = 1_000_000;

/**
 * Returns whether an answer consists of whole pkt-lines and ends with a flush; isomorphic-git reads a truncated answer
 * as a complete one.
 */
export function isWholeAnswer(answer: Buffer): boolean {
  let at = 0;
  let flushed = false;
  for (let lines = 0; at < answer.length && lines < LINES_MAX; lines += 1) {
    const digits = answer.toString('latin1', at, at + 4);
    const length = Number.parseInt(digits, 16);
    if (!LENGTH.test(digits) || length === 2 || length === 3) return false;
    flushed = length === 0;
    at += Math.max(length, 4);
  }
  return flushed && at === answer.length;
}
