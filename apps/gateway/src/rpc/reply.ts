import type { RpcError } from '@trunkline/contracts';

const resultEnd = Buffer.from(',"error":null}');

/** Returns the parts of a reply before and after the result. */
export function resultParts(rawId: string): readonly [Buffer, Buffer] {
  return [Buffer.from(`{"id":${rawId},"result":`), resultEnd];
}

/** Returns a reply with the worker's bytes as the result; they are finished JSON and not parsed. */
export function resultReply(rawId: string, result: Uint8Array): Buffer<ArrayBuffer> {
  const [before, after] = resultParts(rawId);
  return Buffer.concat([before, result, after]);
}

/** Returns the reply that reports an error; no other code of the API turns an error into the client's text. */
export function errorReply(rawId: string, error: RpcError): Buffer<ArrayBuffer> {
  return Buffer.from(`{"id":${rawId},"result":null,"error":${JSON.stringify(error.message)}}`);
}
