import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Visit } from '../visit.ts';
import { hasAlready } from './conditional.ts';
import { gzipApart, takesEncoding } from './gzip.ts';

interface Asking extends Pick<Visit, 'visitor'> {
  readonly http: { readonly incoming: Pick<IncomingMessage, 'method' | 'url' | 'headers'> };
}

const zippedBytesMax = 8_000_000;
/** Pages that are compressed at once; any other page is sent as it is meanwhile. */
const zippingMax = 4;
let zipping = 0;

/**
 * Returns the page as gzip; null where it is not to be compressed. A page in a session may show what is secret beside
 * what others have put into its address: such a page is compressed only if its address has no query, since the rest of
 * an address names what exists, and the token of its forms is left as it is.
 */
async function zipped({ http: { incoming }, visitor: { session } }: Asking, page: string) {
  const isSafe = session === null || !incoming.url?.includes('?');
  if (!isSafe || !takesEncoding(incoming, 'gzip') || page.length > zippedBytesMax || zipping >= zippingMax) return null;
  zipping += 1;
  try {
    return await gzipApart(page, session?.csrfToken ?? null);
  } finally {
    zipping -= 1;
  }
}

/**
 * Returns a page of a repository's content, which browsers keep and ask for each time. It was made, and the rights were
 * read, before the request is answered by what the browser has. The tag is that of all its bytes, the token included.
 */
export async function contentPage(visit: Asking, page: string, headers: Headers): Promise<Response> {
  const etag = `W/"${createHash('sha256').update(page).digest('base64url')}"`;
  headers.set('Cache-Control', 'private, no-cache');
  headers.set('ETag', etag);
  headers.set('Vary', 'Accept-Encoding');
  if (hasAlready(visit.http.incoming, etag)) return new Response(null, { status: 304, headers });
  const body = await zipped(visit, page);
  if (body) headers.set('Content-Encoding', 'gzip');
  return new Response(body ?? page, { headers });
}
