import { isUtf8 } from 'node:buffer';

/**
 * Names of files and references are bytes. In text, a byte that is no part of valid UTF-8 is U+FFFD and its two
 * hexadecimal digits, and so is each byte of a U+FFFD that the name itself has (ADR 82): no two names have one text.
 */
const sign = '\ufffd';
const ownSign = `${sign}EF${sign}BF${sign}BD`;

/** The second bytes that may follow some first ones; all others are followed by any from 0x80 to 0xbf. */
const secondBytes: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

/**
 * Returns the length of the UTF-8 sequence that begins at an index; 0 when none does. Asking `isUtf8` for each byte takes
 * a hundred times as long, and a page may have a thousand hostile names.
 */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let [least, most] = secondBytes.get(first) ?? [0x80, 0xbf];
  for (let index = at + 1; index < at + length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte < least || byte > most) return 0;
    [least, most] = [0x80, 0xbf];
  }
  return length;
}

/** The notations of the bytes from 0x80 on. */
const notations = Array.from({ length: 128 }, (_, index) => `${sign}${(index + 128).toString(16).toUpperCase()}`);

function valid(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll(sign, ownSign);
}

/** Returns the text of a name, or of several names with ASCII characters between them. */
export function nameText(bytes: Uint8Array): string {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isUtf8(name)) return valid(name);
  let text = '';
  let begin = 0;
  for (let at = 0; at < name.length;) {
    const length = sequenceAt(name, at);
    at += Math.max(length, 1);
    if (length > 0) continue;
    if (begin < at - 1) text += valid(name.subarray(begin, at - 1));
    text += notations[(name[at - 1] ?? 0) - 128] ?? '';
    begin = at;
  }
  return text + valid(name.subarray(begin));
}

// Of a byte below 0x80 there is no such notation: a name that has it would be another one than its text shows.
const notation = /\xef\xbf\xbd([89A-F][0-9A-F])/g;

const byteOf = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));

/** Returns the bytes of a name by its text; a U+FFFD without the digits of a byte stands for itself. */
export function nameBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  return text.includes(sign) ? Buffer.from(bytes.toString('latin1').replaceAll(notation, byteOf), 'latin1') : bytes;
}

/** Returns a name as a segment of an address: its bytes, percent-encoded. */
export function encodeName(text: string): string {
  return encodeURIComponent(text).replaceAll(/%EF%BF%BD([89A-F][0-9A-F])/g, '%$1');
}

/** Returns the text of the name in a segment of an address, which is decoded exactly once; null for one that is malformed. */
export function decodeName(segment: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(segment)) return null;
  const bytes = Buffer.from(segment).toString('latin1');
  return nameText(Buffer.from(bytes.replaceAll(/%([0-9a-f]{2})/gi, byteOf), 'latin1'));
}
