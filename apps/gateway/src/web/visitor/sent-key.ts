import type { IncomingHttpHeaders } from 'node:http';

/** Returns the API key in a request's Authorization header or else in its query, possibly ''; null for none. */
export function sentKey(headers: Pick<IncomingHttpHeaders, 'authorization'>, query: URLSearchParams): string | null {
  const [scheme, bearer = ''] = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? '') ?? [];
  return scheme === undefined ? query.get('api_key') : bearer;
}
