import { RefusedError } from '../errors.ts';

const blockBytes = 512;
/** Entries of an archive that are kept in mind. */
const entriesMax = 4_000_000;

/** An entry of an archive, whose content is read, or passed over, before the next entry comes. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly kind: 'file' | 'other';
  content(): AsyncGenerator<Uint8Array>;
}

/** Reads bytes that come in pieces. */
class Bytes {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array();

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#pieces = input[Symbol.asyncIterator]();
  }

  /** Returns at least one and at most `max` bytes; undefined at the end. */
  async some(max: number): Promise<Uint8Array | undefined> {
    while (this.#held.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return undefined;
      this.#held = next.value;
    }
    const taken = this.#held.subarray(0, max);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  /** Returns a block; undefined at the end, and a shorter one where the end is in it. */
  async block(): Promise<Buffer | undefined> {
    const taken: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < blockBytes) {
      const piece = await this.some(blockBytes - bytes);
      if (!piece) break;
      taken.push(piece);
      bytes += piece.length;
    }
    return bytes === 0 ? undefined : Buffer.concat(taken, bytes);
  }
}

interface Header extends Pick<TarEntry, 'name' | 'bytes' | 'kind'> {
  /** Whether it says something of the next entry; what a backup has needs no such thing. */
  readonly isAbout: boolean;
}

const noArchive = (cause?: unknown) =>
  new RefusedError('standard input has no tar archive of a backup: unpack one that is compressed, as by `gzip -dc`', {
    cause,
  });

const textIn = (block: Buffer, from: number, bytes: number) => {
  const field = block.subarray(from, from + bytes);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? bytes : end).toString('latin1');
};

function numberIn(block: Buffer, from: number, bytes: number): number {
  const text = textIn(block, from, bytes).trim();
  if (!/^[0-7]{1,12}$/.test(text)) throw noArchive(new Error(`\`${text}\` is no octal number`));
  return Number.parseInt(text, 8);
}

function parseHeader(block: Buffer): Header {
  if (block.length < blockBytes) throw noArchive(new Error('the archive ends in a header'));
  const counted = Buffer.from(block).fill(' ', 148, 156);
  const sum = counted.reduce((total, byte) => total + byte, 0);
  if (numberIn(block, 148, 8) !== sum) throw noArchive(new Error('the sum of a header is wrong'));
  const prefix = textIn(block, 257, 5) === 'ustar' ? textIn(block, 345, 155) : '';
  const name = textIn(block, 0, 100);
  const type = textIn(block, 156, 1);
  return {
    name: (prefix === '' ? name : `${prefix}/${name}`).replace(/^(?:\.\/)+/, ''),
    bytes: numberIn(block, 124, 12),
    kind: type === '0' || type === '' ? 'file' : 'other',
    isAbout: ['x', 'g', 'L', 'K'].includes(type),
  };
}

const isEnd = (block: Buffer) => block.every((byte) => byte === 0);

/** Reads some bytes of an entry, unless they were read before. */
class Content {
  readonly #from: Bytes;
  readonly #name: string;
  #left: number;

  constructor(from: Bytes, name: string, bytes: number) {
    this.#from = from;
    this.#name = name;
    this.#left = bytes;
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const piece = await this.#from.some(this.#left);
      if (!piece) throw new RefusedError(`the archive ends in \`${this.#name}\``);
      this.#left -= piece.length;
      yield piece;
    }
  }

  async pass(): Promise<void> {
    for await (const _piece of this.rest());
  }
}

/** Reads the entries of a tar archive, one after the other, in bounded memory; throws RefusedError for what is none. */
export async function* readTar(input: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(input);
  let entries = 0;
  for (let block = await bytes.block(); block && !isEnd(block); block = await bytes.block()) {
    const { isAbout, ...header } = parseHeader(block);
    entries += 1;
    if (entries > entriesMax) throw new RefusedError(`the archive has more than ${entriesMax} entries`);
    const content = new Content(bytes, header.name, header.bytes);
    if (!isAbout) yield { ...header, content: () => content.rest() };
    await content.pass();
    await new Content(bytes, header.name, (blockBytes - (header.bytes % blockBytes)) % blockBytes).pass();
  }
  // The program that writes the archive is to end without an error.
  while (await bytes.some(blockBytes));
}
