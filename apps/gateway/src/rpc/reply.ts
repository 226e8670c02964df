import type { RpcError } from '@trunkline/contracts';

const resultEnd = Buffer.from(',"error":null}');

/** The parts of a reply before and after the result. */
export function resultParts(rawId: string): readonly [Buffer, Buffer] {
  return [Buffer.from(`{"id":${rawId},"result":`), resultEnd];
}

/** A reply around the worker's bytes, which are finished JSON and are not parsed. */
export function resultReply(rawId: string, result: Uint8Array): Buffer<ArrayBuffer> {
  const [before, after] = resultParts(rawId);
  return Buffer.concat([before, result, after]);
}

/** The reply of an error: the only code that turns an error into the client's text. */
export function errorReply(rawId: string, error: RpcError): Buffer<ArrayBuffer> {
  return Buffer.from(`{"id":${rawId},"result":null,"error":${JSON.stringify(error.message)}}`);
}
