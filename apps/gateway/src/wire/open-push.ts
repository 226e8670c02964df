import type { IncomingMessage } from 'node:http';
import { takeOverTimeLimit } from '../http/limit-arrival.ts';
import { BodyTooLargeError } from '../http/read-body.ts';
import { openBody, type OpenBody } from './request-body.ts';

/** Time for which a client may go on sending a push that was answered before its end. */
const restMsMax = 2_000;
const lowestRate = { bytes: 60 * 1024, intervalMs: 60_000 };
const ratio = { ratioMax: 200, ratioFreeBytes: 1024 * 1024 };
/** The worker refuses a push that is too large with a text that git shows, so that this limit is a little above. */
const marginBytes = 1024 * 1024;

export interface PushLimits {
  /** Bytes of the body. */
  readonly bytesMax: number;
  /** Time in which all of it has to arrive. */
  readonly msMax: number;
}

export interface OpenPush {
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

/** Takes over the body of a push, without reading it; throws BodyTooLargeError for one that says that it is too large. */
export function openPush(incoming: IncomingMessage, { bytesMax, msMax }: PushLimits): OpenPush {
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw new BodyTooLargeError(bytesMax);
  const giveBackTimeLimit = takeOverTimeLimit(incoming);
  let opened: OpenBody | undefined;
  return {
    read() {
      opened = openBody(incoming, { bytesMax: bytesMax + marginBytes, ...ratio, msMax, lowestRate });
      return opened.pieces;
    },
    end() {
      opened?.end();
      giveBackTimeLimit();
      // Refusals drain the request themselves.
      if (opened) discardRest(incoming);
    },
  };
}
