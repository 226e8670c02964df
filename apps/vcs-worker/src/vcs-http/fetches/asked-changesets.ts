/** Bytes of an argument that are looked at: longer ones are others than the one that is looked for. */
const pairCharsMax = 256;

/** Decodes a word of a query, as Mercurial does. */
function decoded(word: string): string {
  return word
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * Reads the arguments of a Mercurial client, in the form of a query, as far as they say whether it asks for changesets: a
 * client that has all of them asks for the rest of a bundle alone.
 */
export class AskedChangesets {
  #pair = '';
  #value: string | null = null;

  add(piece: Uint8Array): this {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    for (let start = 0; ;) {
      const end = text.indexOf('&', start);
      const room = pairCharsMax - this.#pair.length;
      this.#pair += text.slice(start, Math.min(end < 0 ? text.length : end, start + room));
      if (end < 0) return this;
      this.#value = this.#valueSoFar();
      this.#pair = '';
      start = end + 1;
    }
  }

  /** Returns the same pieces, and reads them on the way. */
  async *observe(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.add(piece);
      yield piece;
    }
  }

  /** Whether changesets are asked for, by all that was read. Mercurial takes these two values for none. */
  get areAsked(): boolean {
    return !['', '0'].includes(this.#valueSoFar() ?? '1');
  }

  /** The first value counts. */
  #valueSoFar(): string | null {
    const [name = '', ...values] = this.#pair.split('=');
    return this.#value ?? (decoded(name) === 'cg' ? decoded(values.join('=')) : null);
  }
}
