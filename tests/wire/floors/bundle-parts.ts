import type { BundlePart } from '../hg-bundle.ts';

const startBytes = 8;

/** Reads a bundle of the second kind, from its beginning. */
class BundleReader {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    if (bytes.subarray(0, 4).toString('latin1') !== 'HG20') throw new Error(`no bundle: ${bytes.toString('latin1')}`);
    this.#rest = bytes.subarray(startBytes + bytes.readUInt32BE(4));
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Takes bytes with their length before them. */
  #takeChunk(): Buffer {
    const length = this.#take(4).readInt32BE();
    if (length < 0) throw new Error('the bundle has a part within a part');
    return this.#take(length);
  }

  /** Returns the next part; null at the end. */
  next(): Required<BundlePart> | null {
    const head = this.#takeChunk();
    if (head.length === 0) return null;
    const nameEnd = 1 + head.readUInt8(0);
    const name = head.subarray(1, nameEnd).toString('latin1');
    const count = head.readUInt8(nameEnd + 4) + head.readUInt8(nameEnd + 5);
    const sizes = head.subarray(nameEnd + 6, nameEnd + 6 + 2 * count);
    let at = nameEnd + 6 + 2 * count;
    const words = Array.from(sizes, (size) => head.subarray(at, (at += size)).toString('utf8'));
    const pairs = Array.from({ length: count }, (_, index) => [words[2 * index] ?? '', words[2 * index + 1] ?? '']);
    const pieces: Buffer[] = [];
    for (let piece = this.#takeChunk(); piece.length > 0; piece = this.#takeChunk()) pieces.push(piece);
    return { name, params: Object.fromEntries(pairs), data: Buffer.concat(pieces) };
  }
}

/** Returns the parts of a bundle, such as the answer to a push. */
export function partsOf(bundle: Buffer): Required<BundlePart>[] {
  const reader = new BundleReader(bundle);
  const parts: Required<BundlePart>[] = [];
  for (let part = reader.next(); part; part = reader.next()) parts.push(part);
  return parts;
}
