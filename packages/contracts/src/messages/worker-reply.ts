import { fromWireError, toWireError } from '../error-wire.ts';
import { InternalError, type ErrorCode, type RpcError } from '../errors.ts';
import { encodeJson } from './raw-json.ts';

/**
 * Answer of a worker. A result is encoded JSON that the gateway passes to the client without parsing it; the code of
 * an error is sent in a header, by which the gateway distinguishes errors from results.
 */
export interface WorkerReply {
  readonly payload: Uint8Array;
  readonly errorCode: ErrorCode | null;
  /** Whether the payload is the offer of a large answer, which comes over the worker's data port. */
  readonly isOffer?: boolean;
}

/** NATS header with the code of an error. The NATS status 503 is not used: clients read it as "no responders". */
export const errorHeader = 'Trunkline-Error';

/** NATS header that marks the offer of a large answer. */
export const offerHeader = 'Trunkline-Offer';

const decoder = new TextDecoder();

export function encodeResult(result: unknown): WorkerReply {
  return { payload: Buffer.from(encodeJson(result)), errorCode: null };
}

export function encodeError(error: RpcError): WorkerReply {
  return { payload: Buffer.from(JSON.stringify(toWireError(error))), errorCode: error.code };
}

export function decodeError(payload: Uint8Array): RpcError {
  try {
    return fromWireError(JSON.parse(decoder.decode(payload)));
  } catch (cause) {
    return new InternalError({ cause });
  }
}
