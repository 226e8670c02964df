import type { IncomingHttpHeaders } from 'node:http';

/** The API key that a request for a view carries, empty or not; null when it carries none. */
export function sentKey(headers: Pick<IncomingHttpHeaders, 'authorization'>, query: URLSearchParams): string | null {
  const [scheme, bearer = ''] = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? '') ?? [];
  return scheme === undefined ? query.get('api_key') : bearer;
}
