const signatureBytes = 32;

/** A command on the bus: its signature, then the signed bytes. */
export function joinSignature(signature: Uint8Array, body: Uint8Array): Uint8Array {
  const joined = new Uint8Array(signatureBytes + body.length);
  joined.set(signature);
  joined.set(body, signatureBytes);
  return joined;
}

export function splitSignature(command: Uint8Array): { readonly signature: Uint8Array; readonly body: Uint8Array } {
  return { signature: command.subarray(0, signatureBytes), body: command.subarray(signatureBytes) };
}
