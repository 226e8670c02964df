import type { IncomingHttpHeaders } from 'node:http';

/** The API key in a request for a view, which may be empty; null when there is none. */
export function sentKey(headers: Pick<IncomingHttpHeaders, 'authorization'>, query: URLSearchParams): string | null {
  const [scheme, bearer = ''] = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? '') ?? [];
  return scheme === undefined ? query.get('api_key') : bearer;
}
