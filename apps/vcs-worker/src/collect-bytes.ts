/** Collects a stream in one buffer of any size: the caller checks beforehand that the stream is short. */
export async function collectBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}
