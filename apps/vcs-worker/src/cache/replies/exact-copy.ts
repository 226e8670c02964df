/** Returns bytes with a buffer of their own: a small `Buffer` is part of a larger one, which it keeps in memory. */
export function exactCopy(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
