/** Encodes the event that a user has changed, or, with null, that any may have; workers of 0.1.0 send the latter alone. */
export function encodeCallersChanged(userId: number | null): Uint8Array {
  return new TextEncoder().encode(userId === null ? '' : String(userId));
}

/** Decodes the event; returns null, for all users, for any other message. */
export function decodeCallersChanged(bytes: Uint8Array): number | null {
  const text = new TextDecoder().decode(bytes.subarray(0, 20));
  const userId = /^\d+$/.test(text) ? Number(text) : null;
  return Number.isSafeInteger(userId) ? userId : null;
}
