import * as v from 'valibot';

/** A stream of a tree breaks its rules, or ends before it is complete. Its message is for the log. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError';
}

/** Limits of a tree that is copied; both ends keep to them. */
export const treeLimits = {
  entries: 5_000_000,
  depth: 128,
  pathBytes: 3_500,
  /** Hard links within a tree that are kept; further files with several names are sent once for each name. */
  linkedFiles: 65_536,
} as const;

/** Files up to this size are read and written whole, and several at once. */
export const smallFileBytes = 64 * 1024;
/** Files from this size on are copied by a child where both ends are in one process; below, its start takes too long. */
export const handedFileBytes = 16 * 1024 * 1024;
/** Files that children copy at once, for one tree. */
export const handedAtOnce = 2;
/** Small files that are read or written at once. */
export const filesAtOnce = 32;

// Every frame is the length of its header (4 bytes), the header, which is JSON in Latin-1, so that each byte of a name
// is one character, and for a file as many bytes as the header announces.
const lengthBytes = 4;
export const headerBytesMax = 8_192;

/** Name of a directory's entry, one character for each byte. */
const Name = v.pipe(
  v.string(),
  v.maxLength(255),
  v.check((name) => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name), 'is no name of an entry'),
);
const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Mode = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0o777));
/** Size in bytes, and time of the last change of the content, in microseconds. */
const content = { name: Name, size: Whole, mtime: v.pipe(v.number(), v.safeInteger()) };

const HeaderSchema = v.variant('kind', [
  /** The tree itself, which gets the number 0: first of all. */
  v.object({ kind: v.literal('root'), mode: Mode }),
  /** The entries that follow are those of this directory. Each directory is opened once. */
  v.object({ kind: v.literal('open'), directory: Whole }),
  /** A directory, which gets the next number. */
  v.object({ kind: v.literal('directory'), name: Name, mode: Mode }),
  v.object({ kind: v.literal('file'), ...content, mode: Mode }),
  /** A file that has not changed and is not sent. */
  v.object({ kind: v.literal('kept'), ...content }),
  /** A hard link to a file that the stream has named before. */
  v.object({ kind: v.literal('link'), ...content, directory: Whole, target: Name }),
  /** A hard link to the file at the same path of another repository, by its number in the request. */
  v.object({ kind: v.literal('shared'), ...content, source: Whole }),
  v.object({ kind: v.literal('end') }),
]);

export type Header = v.InferOutput<typeof HeaderSchema>;
export type HeaderOf<Kind extends Header['kind']> = Extract<Header, { readonly kind: Kind }>;

export function encodeHeader(header: Header): Buffer {
  const text = JSON.stringify(header);
  const bytes = Buffer.allocUnsafe(lengthBytes + text.length);
  bytes.writeUInt32BE(text.length);
  bytes.write(text, lengthBytes, 'latin1');
  return bytes;
}

/** Reads the header of the next frame; throws BrokenStreamError for any other bytes. */
export async function readHeader(source: Pick<PieceReader, 'take'>): Promise<Header> {
  const length = (await source.take(lengthBytes)).readUInt32BE();
  if (length > headerBytesMax) throw new BrokenStreamError(`a header of ${length} bytes`);
  const text = (await source.take(length)).toString('latin1');
  try {
    return v.parse(HeaderSchema, JSON.parse(text));
  } catch (cause) {
    throw new BrokenStreamError('a malformed header', { cause });
  }
}

/** Reads a stream of pieces by numbers of bytes. Leaves the stream open, so that its rest can be discarded. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Returns exactly as many bytes; throws BrokenStreamError when the stream ends before. */
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
