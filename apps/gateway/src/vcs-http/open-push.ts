import type { IncomingMessage } from 'node:http';
import { batched, withTimeout } from '@trunkline/runtime/concurrency';
import { takeOverTimeLimit } from '../http/limit-arrival.ts';
import { BodyTooLargeError } from '../http/read-body.ts';
import { openBody, type OpenBody } from './request-body.ts';

/** Time for which a client may go on sending a push that was answered before its end. */
const restMsMax = 2_000;
/** Time for which a worker may take to refuse a push that is too large. */
const refusalMsMax = 30_000;
/** Slow clients are told so: two intervals are less than the minute after which an idle transfer to a worker is cut. */
const lowestRate = { bytes: 25 * 1024, intervalMs: 25_000 };
const firstByteMsMax = 10_000;
const ratio = { ratioMax: 200, ratioFreeBytes: 1024 * 1024 };
/** Clients write 8 KB at a time, for each of which gateway and worker would wake up. */
const batches = { bytesMax: 64 * 1024, msMax: 10 };
/** The worker refuses a push that is too large with a text that clients show, so that this limit is a little above. */
const marginBytes = 1024 * 1024;

/** A push has more bytes than a push may have. */
export class PushTooLargeError extends BodyTooLargeError {
  constructor(bytesMax: number) {
    const advice = 'push fewer changesets at a time, or ask an administrator to raise the limit';
    super(bytesMax, `The push is larger than ${bytesMax} bytes: ${advice}`);
  }
}

export interface PushLimits {
  /** Bytes of what is pushed. */
  readonly bytesMax: number;
  /** Bytes of the body before that. */
  readonly argsBytes: number;
  /** Time in which all of it has to arrive. */
  readonly msMax: number;
  /** Whether the client reads an answer before it has sent all: the worker then gets no more than it refuses. */
  readonly readsEarly: boolean;
}

interface OpenPush {
  /** Begins to read; the body is decoded. */
  read(): AsyncIterable<Uint8Array>;
  /** To be called in every case. */
  end(): void;
}

/** Reads what is left of a request for a while, since a connection that is closed with bytes on it is reset. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.socket.destroy(), restMsMax);
  incoming.once('close', () => clearTimeout(timer)).resume();
}

/** Gives nothing more once it has given more than a push may have, until the worker has refused the push. */
async function* upToRefusal(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  ended: Promise<void>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    yield piece;
    if (bytes <= bytesMax) continue;
    await withTimeout(ended, refusalMsMax, () => {});
    throw new PushTooLargeError(bytesMax);
  }
}

/** Returns the error of a push that says that it is too large; null for any other. */
export function announcedTooLarge(
  { headers }: IncomingMessage,
  { bytesMax, argsBytes }: Pick<PushLimits, 'bytesMax' | 'argsBytes'>,
): PushTooLargeError | null {
  return Number(headers['content-length'] ?? 0) > bytesMax + argsBytes ? new PushTooLargeError(bytesMax) : null;
}

/** Takes over the body of a push, without reading it. */
export function openPush(incoming: IncomingMessage, { bytesMax, argsBytes, msMax, readsEarly }: PushLimits): OpenPush {
  const giveBackTimeLimit = takeOverTimeLimit(incoming);
  let opened: OpenBody | undefined;
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
  return {
    read() {
      const limits = { ...ratio, msMax, firstByteMsMax, lowestRate };
      opened = openBody(incoming, { bytesMax: bytesMax + argsBytes + marginBytes, ...limits });
      const pieces = batched(opened.pieces, batches);
      return readsEarly ? upToRefusal(pieces, bytesMax + argsBytes, ended) : pieces;
    },
    end() {
      resolveEnded();
      opened?.end();
      giveBackTimeLimit();
      // Refusals drain the request themselves.
      if (opened) discardRest(incoming);
    },
  };
}

/**
 * Reads all of a push that is refused, within its limits: Mercurial reads no answer before it has sent all, and proxies
 * that have got one stop reading what it sends.
 */
export async function discardPush(
  incoming: IncomingMessage,
  limits: Omit<PushLimits, 'readsEarly'>,
  takeSlice: () => Promise<void>,
): Promise<void> {
  if (incoming.complete || announcedTooLarge(incoming, limits)) return;
  const push = openPush(incoming, { ...limits, readsEarly: false });
  try {
    for await (const _piece of push.read()) await takeSlice();
  } catch {
    // The refusal says more than how the push ends.
  } finally {
    push.end();
  }
}
