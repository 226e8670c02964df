import type { RpcError } from '@trunkline/contracts';

const resultEnd = Buffer.from(',"error":null}');

/** The worker's bytes are finished JSON and go through unread. */
export function resultReply(rawId: string, result: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`{"id":${rawId},"result":`), result, resultEnd]);
}

/** The one place where an error becomes text. */
export function errorReply(rawId: string, error: RpcError): Buffer {
  return Buffer.from(`{"id":${rawId},"result":null,"error":${JSON.stringify(error.message)}}`);
}
