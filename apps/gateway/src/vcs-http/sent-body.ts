import { wireBodyBytesMax } from '@trunkline/contracts';
import type { BodyAccount } from '../http/body-budget.ts';

/** The body of a request: whole, if it is short enough to be part of a command, or as a stream. */
export type SentBody = Buffer | AsyncIterable<Uint8Array>;

async function* resumed(read: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* read;
  for (;;) {
    const piece = await rest.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}

/** Reads the beginning of a body; the account pays for its bytes. */
export async function readSentBody(body: AsyncIterable<Uint8Array>, account: BodyAccount): Promise<SentBody> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return Buffer.concat(read, bytes);
    read.push(piece.value);
    bytes += piece.value.length;
    if (bytes > wireBodyBytesMax) return resumed(read, pieces);
    account.grow(bytes);
  }
}
