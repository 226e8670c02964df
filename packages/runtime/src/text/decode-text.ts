import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** The entry of `TRUNKLINE_TEXT_ENCODINGS` that stands for a guess by the text itself. */
const guess = 'chardet';
const utf8 = 'UTF-8';

export const textEncodingsDefault = `${guess},windows-1252`;

let fallbacks: readonly string[] = textEncodingsDefault.split(',');

/** Sets the encodings that are tried, in this order, for text that is not UTF-8 and says nothing of its encoding. */
export function setTextEncodings(encodings: readonly string[]): void {
  fallbacks = encodings;
}

type Decode = (bytes: Uint8Array) => string;

const nameCharsMax = 64;
/** Names of git's iconv that neither iconv-lite nor Node.js knows. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['bigfive', 'big5'],
  ['cngb', 'gb2312'],
  ['ibm932', 'cp932'],
  ['ibm943', 'cp932'],
  ['iso2022jp', 'iso-2022-jp'],
  ['maccentraleurope', 'maccenteuro'],
  ['macuk', 'macukraine'],
  ['msmaccyrillic', 'maccyrillic'],
  ['sjiswin', 'cp932'],
  ['uhc', 'cp949'],
]);

function knownName(encoding: string): string {
  const name = encoding.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return otherNames.get(name) ?? encoding.replace(/^8859_(\d+)$/, 'iso-8859-$1');
}

const ascii = Buffer.from('\t\n Az09~');

/** Returns how an encoding is decoded; null for one that is not known, or that reads ASCII as something else. */
function decoderOf(named: string): Decode | null {
  if (named.length > nameCharsMax) return null;
  const encoding = knownName(named);
  try {
    // The decoder of Node.js has the encodings of ISO 2022, which iconv-lite lacks.
    const decode: Decode = iconv.encodingExists(encoding)
      ? (bytes) => iconv.decode(bytes, encoding, { stripBOM: false })
      : (bytes) => new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    return decode(ascii) === ascii.toString() ? decode : null;
  } catch {
    return null;
  }
}

/** Returns whether text can be in an encoding, or whether it is the word for a guess. */
export function isTextEncoding(encoding: string): boolean {
  return encoding === guess || decoderOf(encoding) !== null;
}

const marks = [
  [utf8, [0xef, 0xbb, 0xbf]],
  ['UTF-32LE', [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', [0, 0, 0xfe, 0xff]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
] as const;

const markedEncodings: ReadonlySet<string> = new Set(marks.map(([encoding]) => encoding));

/** Returns the encoding that a byte order mark at the beginning says; null without one. */
export function markedEncoding(bytes: Uint8Array): string | null {
  return marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/** How much is looked at to find an encoding. */
const lookedAtMax = 64 * 1024;

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;

/** Returns text that was cut anywhere without the character of UTF-8 in which it may have been cut. */
export function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (bytes.length - end < 3 && isContinuation(bytes[end - 1])) end -= 1;
  const isCut = (bytes[end - 1] ?? 0) >= 0xc0 && !isUtf8(bytes.subarray(end - 1));
  return isCut ? bytes.subarray(0, end - 1) : bytes;
}

/** Returns the beginning of a long text, if possible up to the end of a line, so that no character is cut. */
function beginningOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= lookedAtMax) return bytes;
  const beginning = bytes.subarray(0, lookedAtMax);
  const lineEnd = beginning.lastIndexOf(0x0a) + 1;
  return lineEnd > 0 ? beginning.subarray(0, lineEnd) : withoutCutCharacter(beginning);
}

/** Of less than so many bytes beyond ASCII, texts in Latin-1 are taken for others. */
const foreignBytesMin = 16;
const guessedBytesMax = 4_096;
/** In percent, as chardet computes it: measured with messages of programs in eighteen languages. */
const confidenceMin = 25;

// oxlint-disable-next-line no-control-regex -- ASCII has control characters.
const foreign = /[^\0-\x7f]/g;

/** Guesses an encoding by the lines that have more than ASCII; null for a text that says too little. */
function guessed(beginning: Uint8Array): string | null {
  const lines = Buffer.from(beginning).toString('latin1').split('\n');
  const sample = lines
    .filter((line) => line.search(foreign) >= 0)
    .join('\n')
    .slice(0, guessedBytesMax);
  if ((sample.match(foreign)?.length ?? 0) < foreignBytesMin) return null;
  const [best] = analyse(Buffer.from(sample, 'latin1'));
  return best && best.confidence >= confidenceMin ? best.name : null;
}

const fits = (encoding: string, bytes: Uint8Array) => decoderOf(encoding)?.(bytes).includes('\ufffd') === false;

/**
 * Returns the encoding of a text: the one that is declared for it, that of its byte order mark, UTF-8, or the first
 * fallback, of those in which it has no error; if there is none, the last fallback.
 */
export function encodingOf(bytes: Uint8Array, declared?: string): string {
  const beginning = beginningOf(bytes);
  if (declared !== undefined && fits(declared, beginning)) return declared;
  const marked = markedEncoding(bytes);
  if (marked !== null) return marked;
  if (isUtf8(bytes)) return utf8;
  for (const fallback of fallbacks) {
    const encoding = fallback === guess ? guessed(beginning) : fallback;
    if (encoding !== null && fits(encoding, beginning)) return encoding;
  }
  return fallbacks.findLast((fallback) => fallback !== guess) ?? utf8;
}

/** Decodes text in an encoding that `encodingOf` has returned, without its byte order mark; errors become U+FFFD. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  if (encoding === utf8)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString()
      .replace(/^\ufeff/, '');
  const text = markedEncodings.has(encoding) ? iconv.decode(bytes, encoding) : decoderOf(encoding)?.(bytes);
  // A character of UTF-16 may be half a pair, which neither JSON nor Postgres takes.
  return Buffer.from(text ?? '').toString();
}

/** Decodes a text in the encoding that `encodingOf` finds for it. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return decodeAs(bytes, encodingOf(bytes, declared));
}
