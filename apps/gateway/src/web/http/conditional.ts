import type { IncomingMessage } from 'node:http';

type Asking = Pick<IncomingMessage, 'method' | 'headers'>;

/** Returns whether a client says that it has what an entity tag names (RFC 9110, If-None-Match). */
export function hasAlready({ headers }: Asking, etag: string): boolean {
  const sent = headers['if-none-match']?.trim() ?? '';
  const tags: readonly string[] = sent.match(/"[^"]*"/g) ?? [];
  return sent === '*' || tags.includes(etag.replace(/^W\//, ''));
}

/** Bytes of a body, the last one included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the bytes that a request asks for: null for all, with which a server may answer any request and does answer
 * one for several ranges, or one whose If-Range names another body.
 */
export function askedRange(
  { method, headers }: Asking,
  { etag, size }: { readonly etag: string; readonly size: number },
): ByteRange | 'none' | null {
  const [, from, to] = /^bytes= *(\d*)-(\d*) *$/i.exec((method === 'GET' && headers.range) || '') ?? [];
  if (from === undefined || to === undefined || from + to === '') return null;
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first > last ? 'none' : { first, last };
}
