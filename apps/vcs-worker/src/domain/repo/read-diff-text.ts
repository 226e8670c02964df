import { decodeText, withoutCutCharacter } from '@trunkline/runtime/text';

/** Decodes each file of a diff by itself. */
function decodeDiff(diff: Uint8Array): string {
  const files = Buffer.from(diff)
    .toString('latin1')
    .split(/^(?=diff --git )/m);
  return files.map((file) => decodeText(Buffer.from(file, 'latin1'))).join('');
}

/** Reads the beginning of a diff, up to `bytesMax`; the rest is not read. */
export async function readDiffText(
  diff: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of diff) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > bytesMax) {
      return { text: decodeDiff(withoutCutCharacter(Buffer.concat(pieces).subarray(0, bytesMax))), isCut: true };
    }
  }
  return { text: decodeDiff(Buffer.concat(pieces)), isCut: false };
}
