/** Returns the index after a string's closing quote, or the length when the quote is missing. */
function endOfLooseString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length) {
    if (bytes[index] === 0x22) return index + 1;
    index += bytes[index] === 0x5c ? 2 : 1;
  }
  return bytes.length;
}

/**
 * Returns whether bytes that are not JSON open more than `levels` brackets and braces from `start` on. Such a body is
 * refused for its depth wherever its first fault is, so that the error says what has to be mended in any case.
 */
export function nestsTooDeep(bytes: Uint8Array, start: number, levels: number): boolean {
  let left = levels;
  let index = start;
  while (index < bytes.length && left >= 0) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x22) {
      index = endOfLooseString(bytes, index);
      continue;
    }
    // 0x20 is all that distinguishes brackets from braces: 0x5b and 0x7b open, 0x5d and 0x7d close.
    if ((byte & 0xdf) === 0x5b) left -= 1;
    else if ((byte & 0xdf) === 0x5d) left += 1;
    index += 1;
  }
  return left < 0;
}
