import type { RpcError } from '@trunkline/contracts';

const resultEnd = Buffer.from(',"error":null}');

/** What stands before a result and after it. */
export function resultParts(rawId: string): readonly [Buffer, Buffer] {
  return [Buffer.from(`{"id":${rawId},"result":`), resultEnd];
}

/** The worker's bytes are finished JSON and go through unread. */
export function resultReply(rawId: string, result: Uint8Array): Buffer<ArrayBuffer> {
  const [before, after] = resultParts(rawId);
  return Buffer.concat([before, result, after]);
}

/** The one place where an error becomes text. */
export function errorReply(rawId: string, error: RpcError): Buffer<ArrayBuffer> {
  return Buffer.from(`{"id":${rawId},"result":null,"error":${JSON.stringify(error.message)}}`);
}
