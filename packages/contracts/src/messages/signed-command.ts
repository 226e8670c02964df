const signatureBytes = 32;

/** Joins the parts of a command on the bus: the signature (32 bytes), then the signed bytes. */
export function joinSignature(signature: Uint8Array, body: Uint8Array): Uint8Array {
  const joined = new Uint8Array(signatureBytes + body.length);
  joined.set(signature);
  joined.set(body, signatureBytes);
  return joined;
}

/** Splits a command without verifying its signature, which is shorter than 32 bytes in a truncated command. */
export function splitSignature(command: Uint8Array): { readonly signature: Uint8Array; readonly body: Uint8Array } {
  return { signature: command.subarray(0, signatureBytes), body: command.subarray(signatureBytes) };
}
