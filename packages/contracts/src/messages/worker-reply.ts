import { fromWireError, toWireError } from '../error-wire.ts';
import { InternalError, type ErrorCode, type RpcError } from '../errors.ts';

/**
 * A worker's answer. A result is finished JSON, never parsed again on its way to the client;
 * an error carries its code in a header so that the gateway tells the two apart without looking inside.
 */
export interface WorkerReply {
  readonly payload: Uint8Array;
  readonly errorCode: ErrorCode | null;
}

/** The header of an error reply. The status 503 is not used: the NATS client reads it as "no responders". */
export const errorHeader = 'Trunkline-Error';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeResult(result: unknown): WorkerReply {
  return { payload: encoder.encode(JSON.stringify(result) ?? 'null'), errorCode: null };
}

export function encodeError(error: RpcError): WorkerReply {
  return { payload: encoder.encode(JSON.stringify(toWireError(error))), errorCode: error.code };
}

export function decodeError(payload: Uint8Array): RpcError {
  try {
    return fromWireError(JSON.parse(decoder.decode(payload)));
  } catch (cause) {
    return new InternalError({ cause });
  }
}
