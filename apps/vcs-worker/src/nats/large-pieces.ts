/**
 * Joins a stream's pieces into pieces of at least `bytesMin` bytes, except the last: each of them becomes a message.
 */
export async function* largePieces(source: AsyncIterable<Uint8Array>, bytesMin: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of source) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < bytesMin) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}
