import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { UnavailableError, type RpcError } from '@trunkline/contracts';
import { BusError, type IncomingStream } from '@trunkline/runtime';
import { resultParts } from './reply.ts';

export interface SentStream {
  readonly bytes: number;
  /** Null also when it was the client who broke off. */
  readonly error: RpcError | null;
}

/**
 * Answers a large result as it comes, at the client's pace. When it breaks off the connection is destroyed: no client
 * may take a part for the whole.
 */
export async function sendStream(
  outgoing: ServerResponse,
  rawId: string,
  transfer: IncomingStream,
  headers: Readonly<Record<string, string>>,
): Promise<SentStream> {
  const [before, after] = resultParts(rawId);
  const frameBytes = before.length + after.length;
  const { length, stream } = transfer;
  const framing = length === null ? {} : { 'Content-Length': String(frameBytes + length) };
  try {
    outgoing.writeHead(200, { ...headers, ...framing }).write(before);
    await pipeline(stream, outgoing, { end: false });
    outgoing.end(after);
    return { bytes: frameBytes + transfer.handedOn(), error: null };
  } catch {
    outgoing.destroy();
    const { errored } = stream;
    const error = errored instanceof BusError ? new UnavailableError({ cause: errored }) : null;
    return { bytes: before.length + transfer.handedOn(), error };
  }
}
