const quote = 0x22;
const backslash = 0x5c;
/** Bytes that may follow a backslash in a string, except `u`. */
const simpleEscapes: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/** Returns the index after the escape whose backslash is at `start`; -1 when it is wrong. */
function endOfEscape(bytes: Uint8Array, start: number): number {
  if (simpleEscapes.has(bytes[start + 1])) return start + 2;
  if (bytes[start + 1] !== 0x75) return -1;
  for (let index = start + 2; index < start + 6; index += 1) if (!isHexDigit(bytes[index])) return -1;
  return start + 6;
}

/** Returns the index after the string that begins at `start`; -1 when it is wrong or cut off. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length) {
    const byte = bytes[index] ?? 0;
    if (byte === quote) return index + 1;
    if (byte < 0x20) return -1;
    if (byte !== backslash) index += 1;
    else {
      index = endOfEscape(bytes, index);
      if (index < 0) return -1;
    }
  }
  return -1;
}

/** Returns the index after the digits at `start`; -1 when there are none. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  let index = start;
  while (isDigit(bytes[index])) index += 1;
  return index > start ? index : -1;
}

/** Returns the index after the number that begins at `start`; -1 when there is none. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let index = bytes[start] === 0x2d ? start + 1 : start;
  index = bytes[index] === 0x30 ? index + 1 : endOfDigits(bytes, index);
  if (index >= 0 && bytes[index] === 0x2e) index = endOfDigits(bytes, index + 1);
  if (index >= 0 && (bytes[index] === 0x65 || bytes[index] === 0x45)) {
    const sign = bytes[index + 1];
    index = endOfDigits(bytes, sign === 0x2b || sign === 0x2d ? index + 2 : index + 1);
  }
  return index;
}

function endOfLiteral(bytes: Uint8Array, start: number, word: Buffer): number {
  return word.every((byte, at) => bytes[start + at] === byte) ? start + word.length : -1;
}

const [literalTrue, literalFalse, literalNull] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];

/** Returns the index after the string, number or literal that begins at `start`; -1 when there is none. */
export function endOfScalar(bytes: Uint8Array, start: number): number {
  switch (bytes[start]) {
    case quote:
      return endOfString(bytes, start);
    case 0x74:
      return endOfLiteral(bytes, start, literalTrue);
    case 0x66:
      return endOfLiteral(bytes, start, literalFalse);
    case 0x6e:
      return endOfLiteral(bytes, start, literalNull);
    default:
      return endOfNumber(bytes, start);
  }
}

/** Removes the white space between the tokens of right JSON. */
export function compact(json: Uint8Array): Buffer {
  const kept = Buffer.allocUnsafe(json.length);
  let length = 0;
  let index = 0;
  while (index < json.length) {
    const end = json[index] === quote ? endOfString(json, index) : index + 1;
    if (!isSpace(json[index])) {
      kept.set(json.subarray(index, end), length);
      length += end - index;
    }
    index = end;
  }
  return kept.subarray(0, length);
}
