import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

type Encoding = 'br' | 'gzip';

/** Returns whether a client says that it takes bodies in this encoding (RFC 9110, Accept-Encoding). */
export function takesEncoding({ headers }: Pick<IncomingMessage, 'headers'>, encoding: Encoding): boolean {
  const offers = (headers['accept-encoding'] ?? '').split(',');
  return offers.some((offer) => {
    const [name = '', quality = ''] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !/^q=0(?:\.0*)?$/.test(quality);
  });
}

const deflate = promisify(deflateRaw);

// RFC 1952: deflate, without a name or a time, made on an unknown system.
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** The last block of deflate (RFC 1951), which is empty. */
const lastBlock = Buffer.from([3, 0]);

/** Returns a block of deflate that holds bytes as they are. */
function storedBlock(bytes: Buffer): Buffer {
  const length = Buffer.alloc(5);
  length.writeUInt16LE(bytes.length, 1);
  length.writeUInt16LE(0xff_ff - bytes.length, 3);
  return Buffer.concat([length, bytes]);
}

/** Compresses a piece by itself, up to the end of a byte; a full flush ends it without a last block. */
function deflated(piece: string): Promise<Buffer> {
  return deflate(piece, { level: 5, finishFlush: constants.Z_FULL_FLUSH });
}

/**
 * Compresses a text as gzip, but not the secret in it: each occurrence stands in a block of its own as it is, and what
 * is before and after it is compressed apart. The size tells nothing of the secret, whatever else is in the text.
 */
export async function gzipApart(text: string, secret: string | null): Promise<Buffer<ArrayBuffer>> {
  const pieces = secret ? text.split(secret) : [text];
  const stored = storedBlock(Buffer.from(secret ?? ''));
  const blocks: Buffer[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) blocks.push(stored);
    blocks.push(await deflated(piece));
  }
  const bytes = Buffer.from(text);
  const sums = Buffer.alloc(8);
  sums.writeUInt32LE(crc32(bytes), 0);
  sums.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, ...blocks, lastBlock, sums]);
}
