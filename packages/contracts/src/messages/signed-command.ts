const signatureBytes = 32;

/** A command as it travels: its signature, then the bytes that this covers. */
export function joinSignature(signature: Uint8Array, body: Uint8Array): Uint8Array {
  const joined = new Uint8Array(signatureBytes + body.length);
  joined.set(signature);
  joined.set(body, signatureBytes);
  return joined;
}

export function splitSignature(command: Uint8Array): { readonly signature: Uint8Array; readonly body: Uint8Array } {
  return { signature: command.subarray(0, signatureBytes), body: command.subarray(signatureBytes) };
}
