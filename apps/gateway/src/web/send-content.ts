import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { UnavailableError } from '@trunkline/contracts';
import { isBrokenOff } from '@trunkline/runtime';
import { paced } from '../http/admission/paced.ts';
import { contentHeaders } from '../http/web-headers.ts';
import { askedRange, hasAlready, type ByteRange } from './http/conditional.ts';
import type { Visit } from './visit.ts';
import type { OpenedContent } from './worker-calls.ts';

/** Thrown when content breaks off after the response was begun: no other response is possible. */
export class BrokenOffError extends UnavailableError {}

/** What content is, for requests that depend on it. */
export interface Validators {
  readonly etag: string;
  /** Bytes of all of it; null when they are not known, or differ from one time to the next. */
  readonly size: number | null;
}

type Asking = Pick<Visit, 'http' | 'visitor'>;

/** A browser keeps content and asks each time whether it may still show it; the answer to a key is kept nowhere. */
function headersOf({ visitor }: Asking, { etag, size }: Validators): Readonly<Record<string, string>> {
  const kept = visitor.caller.credential.kind === 'key' ? {} : { 'Cache-Control': 'private, no-cache' };
  return { ...contentHeaders, ...kept, ETag: etag, ...(size !== null && { 'Accept-Ranges': 'bytes' }) };
}

/** Returns the answer for which the content itself is not needed; null when it is. The rights must have been read. */
export function answerWithout(visit: Asking, validators: Validators): Response | null {
  const { incoming } = visit.http;
  const { etag, size } = validators;
  const headers = headersOf(visit, validators);
  if (hasAlready(incoming, etag)) return new Response(null, { status: 304, headers });
  if (size === null || askedRange(incoming, { etag, size }) !== 'none') return null;
  return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
}

async function* partOf(body: AsyncIterable<Uint8Array>, { first, last }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of body) {
    const part = piece.subarray(Math.max(first - at, 0), Math.max(last + 1 - at, 0));
    at += piece.length;
    if (part.length > 0) yield part;
    // Leaving the loop destroys the body.
    if (at > last) return;
  }
}

/** Returns the bytes that a request asks for, the status of the answer, and its headers about bytes. */
function chosen({ http: { incoming } }: Asking, body: OpenedContent<unknown>['body'], validators: Validators | null) {
  const { etag = '', size = null } = validators ?? {};
  const range = size === null ? null : askedRange(incoming, { etag, size });
  if (range === null || range === 'none') {
    const length = body instanceof Uint8Array ? body.length : size;
    return { status: 200, bytes: body, headers: length === null ? {} : { 'Content-Length': String(length) } };
  }
  const { first, last } = range;
  const bytes = body instanceof Uint8Array ? body.subarray(first, last + 1) : partOf(body, range);
  const headers = { 'Content-Range': `bytes ${first}-${last}/${size}`, 'Content-Length': String(last - first + 1) };
  return { status: 206, bytes, headers };
}

/**
 * Sends content, or as much of it as the client asks for, as a stream at the client's pace. When the stream fails, the
 * connection is destroyed, so that no client mistakes a part of the content for the whole. Throws BrokenOffError when
 * the worker, or the way from it, failed.
 */
export async function sendContent(
  visit: Asking,
  { body }: OpenedContent<unknown>,
  ownHeaders: Readonly<Record<string, string>>,
  validators: Validators | null = null,
): Promise<Response> {
  const { incoming, outgoing } = visit.http;
  const without = validators && answerWithout(visit, validators);
  if (without) {
    if (!(body instanceof Uint8Array)) body.destroy();
    return without;
  }
  const { status, bytes, headers: aboutBytes } = chosen(visit, body, validators);
  const headers = { ...(validators ? headersOf(visit, validators) : contentHeaders), ...ownHeaders, ...aboutBytes };
  if (body instanceof Uint8Array) return new Response(bytes as Uint8Array<ArrayBuffer>, { status, headers });
  outgoing.writeHead(status, headers);
  if (incoming.method === 'HEAD') {
    body.destroy();
    outgoing.end();
    return RESPONSE_ALREADY_SENT;
  }
  try {
    await pipeline(bytes, paced(outgoing), outgoing);
  } catch {
    outgoing.destroy();
    // Any other failure means that the client disconnected.
    if (isBrokenOff(body.errored)) throw new BrokenOffError({ cause: body.errored });
  }
  return RESPONSE_ALREADY_SENT;
}

/** Sends a feed. A short one, as nearly all are, is known by its bytes, whoever has made them. */
export function sendFeed(visit: Asking, feed: OpenedContent<{ readonly contentType: string }>): Promise<Response> {
  const { body, head } = feed;
  const etag = body instanceof Uint8Array ? `"${createHash('sha256').update(body).digest('base64url')}"` : null;
  return sendContent(visit, feed, { 'Content-Type': head.contentType }, etag === null ? null : { etag, size: null });
}
