import * as v from 'valibot';
import { BrokenStreamError } from './broken-stream-error.ts';

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

/** What frames are read from. */
export interface ByteSource {
  /** Returns exactly as many bytes; throws BrokenStreamError when the stream ends before. */
  take(bytes: number): Promise<Buffer>;
}

/** Reads the header of the next frame; throws BrokenStreamError for any other bytes. */
export async function readHeader(source: ByteSource): Promise<Header> {
  const length = (await source.take(lengthBytes)).readUInt32BE();
  if (length > headerBytesMax) throw new BrokenStreamError(`a header of ${length} bytes`);
  const text = (await source.take(length)).toString('latin1');
  try {
    return v.parse(HeaderSchema, JSON.parse(text));
  } catch (cause) {
    throw new BrokenStreamError('a malformed header', { cause });
  }
}
