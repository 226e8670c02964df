import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { UnavailableError } from '@trunkline/contracts';
import { isBrokenOff } from '@trunkline/runtime';
import { paced } from '../http/admission/paced.ts';
import { contentHeaders } from '../http/web-headers.ts';
import type { Visit } from './visit.ts';
import type { OpenedContent } from './worker-calls.ts';

/** Thrown when content breaks off after the response was begun: no other response is possible. */
export class BrokenOffError extends UnavailableError {}

/**
 * Sends content as a stream, at the client's pace. When the stream fails, the connection is destroyed, so that no
 * client mistakes a part of the content for the whole. Throws BrokenOffError when the worker, or the way from it, failed. The `length` of a
 * stream is in bytes; null when it is not known.
 */
export async function sendContent(
  { http: { incoming, outgoing } }: Pick<Visit, 'http'>,
  { body }: OpenedContent<unknown>,
  ownHeaders: Readonly<Record<string, string>>,
  length: number | null = null,
): Promise<Response> {
  const headers = { ...contentHeaders, ...ownHeaders };
  if (body instanceof Uint8Array) {
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { ...headers, 'Content-Length': String(body.length) },
    });
  }
  outgoing.writeHead(200, length === null ? headers : { ...headers, 'Content-Length': String(length) });
  if (incoming.method === 'HEAD') {
    body.destroy();
    outgoing.end();
    return RESPONSE_ALREADY_SENT;
  }
  try {
    await pipeline(body, paced(outgoing), outgoing);
  } catch {
    outgoing.destroy();
    // Any other failure means that the client disconnected.
    if (isBrokenOff(body.errored)) throw new BrokenOffError({ cause: body.errored });
  }
  return RESPONSE_ALREADY_SENT;
}
