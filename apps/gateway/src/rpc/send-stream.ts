import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { UnavailableError, type RpcError } from '@trunkline/contracts';
import { isBrokenOff, type LargeAnswer } from '@trunkline/runtime';
import { paced } from '../http/admission/paced.ts';
import { resultParts } from './reply.ts';

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
  const noteSent = (sent: number) => (bytes += sent);
  const framing = length === null ? {} : { 'Content-Length': String(frameBytes + length) };
  try {
    outgoing.writeHead(200, { ...headers, ...framing }).write(before);
    await pipeline(stream, paced(outgoing, noteSent), outgoing, { end: false });
    outgoing.end(after);
    return { bytes: bytes + after.length, error: null };
  } catch {
    outgoing.destroy();
    const { errored } = stream;
    const error = isBrokenOff(errored) ? new UnavailableError({ cause: errored }) : null;
    return { bytes, error };
  }
}
