import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { decodeError, HgMediaType, RpcError, UnavailableError, type DataOffer } from '@trunkline/contracts';
import { DataError, type DataClient } from '@trunkline/runtime';
import * as v from 'valibot';
import { begun } from '../dispatch/answer.ts';
import { paced } from '../http/admission/paced.ts';
import type { TakeSlice } from '../http/body-slices.ts';
import { drainThenRespond } from '../http/drain-then-respond.ts';

const errorBytesMax = 16 * 1024;

type Headers = Readonly<Record<string, string>>;

interface SmallAnswer {
  readonly status: number;
  /** The status line's text; that of the status when absent. */
  readonly reason?: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Sends a small answer. The connection is closed if the client has not sent its whole request. */
export async function sendSmall(
  { incoming, outgoing }: HttpBindings,
  { status, reason, headers, bytes }: SmallAnswer,
  draining: { readonly source: string; readonly takeSlice: TakeSlice },
): Promise<void> {
  const { complete } = incoming;
  const framing = { 'Content-Length': String(bytes.length), ...(!complete && { Connection: 'close' }) };
  const all = { ...headers, ...framing };
  if (reason === undefined) outgoing.writeHead(status, all);
  else outgoing.writeHead(status, reason, all);
  if (complete) outgoing.end(bytes);
  // A client that leaves meanwhile misses nothing that others need.
  else await pipeline(drainThenRespond(incoming, bytes, draining), outgoing).catch(() => {});
}

export interface Transfer {
  readonly offer: DataOffer;
  readonly requestId: string;
  /** Whose share of the transfers this one counts towards. */
  readonly caller: string;
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Time for all of it. */
  readonly totalMs: number;
  readonly clientGone: AbortSignal;
}

/** Returns the client's error of a transfer: that of its own body, or of a worker that could not go on. */
function transferError(error: unknown): unknown {
  if (!(error instanceof DataError)) return error;
  return error.cause instanceof RpcError ? error.cause : new UnavailableError({ cause: error });
}

/** Returns the error that a worker sends instead of an answer; throws when it sends none. */
async function sentError(body: Readable): Promise<RpcError> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > errorBytesMax) break;
  }
  return decodeError(Buffer.concat(pieces, bytes));
}

/**
 * Makes the transfer that a worker has offered, at the pace of the slower end, and returns the number of bytes. Throws
 * before the answer's first byte what another answer can say. Later, the connection is destroyed, so that no client
 * mistakes a part of the answer for the whole.
 */
export async function relay(
  client: Pick<DataClient, 'transfer'>,
  { outgoing }: HttpBindings,
  { offer, requestId, caller, body, totalMs, clientGone }: Transfer,
  headers: Headers,
): Promise<{ readonly bytes: number; readonly error: RpcError | null }> {
  const ended = new AbortController();
  const signal = AbortSignal.any([clientGone, ended.signal]);
  try {
    const answer = await client.transfer(offer, requestId, { caller, signal, totalMs, ...(body && { body }) });
    if (answer.status !== 200) throw await sentError(answer.body);
    let bytes = 0;
    await begun(answer.body);
    // Mercurial's answers have types of their own, which are known when they begin.
    const type = v.safeParse(HgMediaType, answer.headers['content-type']);
    outgoing.writeHead(200, { ...headers, ...(type.success && { 'Content-Type': type.output }) });
    try {
      const countSent = (sent: number) => (bytes += sent);
      await pipeline(answer.body, paced(outgoing, countSent), outgoing);
      return { bytes, error: null };
    } catch (error) {
      outgoing.destroy();
      const cause = transferError(error);
      return { bytes, error: !clientGone.aborted && cause instanceof RpcError ? cause : null };
    }
  } catch (error) {
    throw clientGone.aborted ? clientGone.reason : transferError(error);
  } finally {
    // A worker may have answered before it has read the body.
    if (body) ended.abort();
  }
}

/** Time for which a push that has arrived waits, at most, for memory, for its repository, and to be recorded. */
const pushWaitMsMax = 120_000;

/** Returns the time for a whole transfer. Workers take as long to apply a push, at most, as it may take to arrive. */
export function transferTime(transferMsMax: number, { isPush }: { readonly isPush: boolean }): number {
  return isPush ? 2 * transferMsMax + pushWaitMsMax : transferMsMax;
}
