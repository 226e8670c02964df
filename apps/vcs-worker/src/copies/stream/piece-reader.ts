import { BrokenStreamError } from './broken-stream-error.ts';
import type { ByteSource } from './frame.ts';

/** Reads a stream of pieces by numbers of bytes. Leaves the stream open, so that its rest can be discarded. */
export class PieceReader implements ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  async take(bytes: number): Promise<Buffer> {
    if (this.#held.length >= bytes) return this.#cut(bytes);
    const parts = [this.#held];
    let length = this.#held.length;
    this.#held = Buffer.alloc(0);
    while (length < bytes) {
      const piece = await this.#next();
      parts.push(piece);
      length += piece.length;
    }
    this.#held = Buffer.concat(parts, length);
    return this.#cut(bytes);
  }

  /** Returns at least one byte and at most as many, as they have come. */
  async takeSome(bytesMax: number): Promise<Buffer> {
    while (this.#held.length === 0) this.#held = await this.#next();
    return this.#cut(bytesMax);
  }

  /** Throws unless the stream ends here. Its last piece has to be read, or else the connection would be closed. */
  async end(): Promise<void> {
    if (this.#held.length > 0 || (await this.#pieces.next()).done !== true)
      throw new BrokenStreamError('bytes after the last frame');
  }

  /** Reads the rest of the stream, which then lets the other end read an answer. */
  async discard(): Promise<void> {
    this.#held = Buffer.alloc(0);
    while ((await this.#pieces.next()).done !== true);
  }

  #cut(bytes: number): Buffer {
    const cut = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(cut.length);
    return cut;
  }

  async #next(): Promise<Buffer> {
    const piece = await this.#pieces.next();
    if (piece.done === true) throw new BrokenStreamError('the stream ends before its last frame');
    const { buffer, byteOffset, length } = piece.value;
    return Buffer.from(buffer, byteOffset, length);
  }
}
