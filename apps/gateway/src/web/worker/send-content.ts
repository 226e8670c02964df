import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { UnavailableError } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { contentHeaders } from '../../http/web-headers.ts';
import type { Visit } from '../visit.ts';
import type { OpenedContent } from './worker-calls.ts';

/** The answer was begun and could not be ended: there is nobody to tell. */
export class BrokenOffError extends UnavailableError {}

/**
 * Answers content as it comes, at the client's pace. When it breaks off the connection is destroyed: no client may take
 * a part for the whole.
 */
export async function sendContent(
  { http: { incoming, outgoing } }: Pick<Visit, 'http'>,
  { body }: OpenedContent<unknown>,
  own: Readonly<Record<string, string>>,
  length: number | null = null,
): Promise<Response> {
  const headers = { ...contentHeaders, ...own };
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
    await pipeline(body, outgoing);
  } catch {
    outgoing.destroy();
    // Otherwise it was the client who broke off.
    if (body.errored instanceof BusError) throw new BrokenOffError({ cause: body.errored });
  }
  return RESPONSE_ALREADY_SENT;
}
