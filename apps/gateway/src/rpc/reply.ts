import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { UnavailableError, type RpcError } from '@trunkline/contracts';
import { isBrokenOff, type LargeAnswer } from '@trunkline/runtime';
import { paced } from '../http/admission/paced.ts';

const resultEnd = Buffer.from(',"error":null}');

/** Returns the parts of a reply before and after the result. */
function resultParts(rawId: string): readonly [Buffer, Buffer] {
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

export interface SentStream {
  readonly bytes: number;
  /** The failure of the stream; null when the result was sent, and when the client disconnected. */
  readonly error: RpcError | null;
}

/**
 * Sends a large result as a stream, at the client's pace. When the stream fails, the connection is destroyed, so that
 * no client mistakes a part for the whole.
 */
export async function sendStream(
  outgoing: ServerResponse,
  rawId: string,
  incoming: LargeAnswer,
  headers: Readonly<Record<string, string>>,
): Promise<SentStream> {
  const [before, after] = resultParts(rawId);
  const frameBytes = before.length + after.length;
  const { length, stream } = incoming;
  let bytes = before.length;
  const countSent = (sent: number) => (bytes += sent);
  const framing = length === null ? {} : { 'Content-Length': String(frameBytes + length) };
  try {
    outgoing.writeHead(200, { ...headers, ...framing }).write(before);
    await pipeline(stream, paced(outgoing, countSent), outgoing, { end: false });
    outgoing.end(after);
    return { bytes: bytes + after.length, error: null };
  } catch {
    outgoing.destroy();
    const { errored } = stream;
    const error = isBrokenOff(errored) ? new UnavailableError({ cause: errored }) : null;
    return { bytes, error };
  }
}
