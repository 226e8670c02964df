import { KilledError } from '../../process/tool-failure.ts';

/** A message of a child that answers a request: the letter of its kind, and its bytes. */
export interface ChildMessage {
  readonly kind: string;
  readonly data: Buffer;
}

const headBytes = 5;
const dataBytesMax = 1024 * 1024;

/**
 * Cuts the bytes of an answer into messages; throws for one that is too long, and KilledError for one that is not complete:
 * a child that fails by itself is not in the middle of a message.
 */
export async function* childMessages(pieces: AsyncIterable<Buffer>): AsyncGenerator<ChildMessage, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (rest.length >= headBytes) {
      const length = rest.readUInt32BE(1);
      if (length > dataBytesMax) throw new Error(`a message of ${length} bytes`);
      if (rest.length < headBytes + length) break;
      yield { kind: String.fromCharCode(rest[0] ?? 0), data: rest.subarray(headBytes, headBytes + length) };
      rest = rest.subarray(headBytes + length);
    }
  }
  if (rest.length > 0) throw new KilledError('a signal in the middle of a message');
}

/** Puts its length before a piece. */
export function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Encodes a request: a head, and arguments in pieces, each behind its length, then a length of 0. */
export async function* encodeRequest(head: object, args: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  yield withLength(Buffer.from(JSON.stringify(head)));
  for await (const piece of args) if (piece.length > 0) yield withLength(piece);
  yield Buffer.alloc(4);
}
