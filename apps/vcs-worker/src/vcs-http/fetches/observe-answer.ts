import type { AnswerType, CachedAnswer } from '../../cache/vcs-answers/cached-answer.ts';

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

/** The sections of version 2 that only the answer to `fetch` has, which begin it. */
const fetchSection = /^[0-9a-f]{4}(?:acknowledgments|shallow-info|wanted-refs|packfile-uris|packfile)\n/;
const beginningChars = 32;
const packSection = Buffer.from('000dpackfile\n');
const packStart = Buffer.from('PACK');

/** Returns whether the pieces of an answer up to this one, which is the next, reach its pack. */
type ReachesPack = (piece: Uint8Array) => boolean;

/**
 * Looks for the pack in the beginning of an answer of `git upload-pack` to a POST: clients find out what they lack in
 * several requests, and only the answer to the last one has it. Each piece is searched once.
 */
function searchPack(protocol: number): ReachesPack {
  // Before version 2, ids and words of the protocol come before the pack alone, none of which has these letters.
  const sought = protocol < 2 ? packStart : packSection;
  let beginning = '';
  let last = Buffer.alloc(0);
  let isFound = false;
  return (piece) => {
    beginning += Buffer.from(piece.subarray(0, beginningChars - beginning.length)).toString('latin1');
    const unsearched = isFound ? last : Buffer.concat([last, piece]);
    isFound ||= unsearched.includes(sought);
    last = Buffer.from(unsearched.subarray(Math.max(0, unsearched.length - sought.length + 1)));
    return isFound && (protocol < 2 || fetchSection.test(beginning));
  };
}

/** What a client asks for, as far as it decides on whether the answer brings changesets. */
export interface AskedContent {
  readonly request: 'git-refs' | 'git-fetch' | 'hg';
  /** Version of git's protocol. */
  readonly protocol: number;
  readonly command: string;
  /** The arguments of a command of Mercurial, which are read by the time of the answer. */
  readonly changesets: Pick<AskedChangesets, 'areAsked'>;
}

/** What is read of an answer before its pack, which common commits precede. */
const beginningBytesMax = 1024 * 1024;
const bundleCommands = ['getbundle', 'changegroup', 'changegroupsubset'];

/** Returns whether Mercurial answers with changesets. */
function isBundle(type: AnswerType, { command, changesets }: AskedContent): boolean {
  return bundleCommands.includes(command) && changesets.areAsked && type !== 'application/hg-error';
}

async function* untilPack(
  pieces: AsyncIterable<Uint8Array>,
  protocol: number,
  record: () => void,
): AsyncGenerator<Uint8Array> {
  const reachesPack = searchPack(protocol);
  let bytesLeft = beginningBytesMax;
  for await (const piece of pieces) {
    if (bytesLeft >= 0) {
      bytesLeft -= piece.length;
      if (reachesPack(piece)) {
        record();
        bytesLeft = -1;
      }
    }
    yield piece;
  }
}

/** Returns the same pieces of an answer; calls `record` once if it brings changesets. */
export function observePieces(
  type: AnswerType,
  pieces: AsyncIterable<Uint8Array>,
  asked: AskedContent,
  record: () => void,
): AsyncIterable<Uint8Array> {
  if (asked.request === 'hg' && isBundle(type, asked)) record();
  return asked.request === 'git-fetch' ? untilPack(pieces, asked.protocol, record) : pieces;
}

/** Returns an answer with the same bytes; calls `record` once if it brings changesets. */
export function observeAnswer(answer: CachedAnswer, asked: AskedContent, record: () => void): CachedAnswer {
  const { type, content } = answer;
  if (!(content instanceof Uint8Array)) return { ...answer, content: observePieces(type, content, asked, record) };
  const { request, protocol } = asked;
  if (request === 'hg' ? isBundle(type, asked) : request === 'git-fetch' && searchPack(protocol)(content)) record();
  return answer;
}
