import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns whether a form may come from a page of this service. Browsers send the Origin header with a form; a program
 * that sends none has no other user's cookies.
 */
export function isSameOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, hosts: readonly string[]) {
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  return from !== '' && (from === host || hosts.includes(from));
}
