import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a form can have been sent by a page of ours. Browsers tell where a form came from; a program that tells
 * nothing carries no one else's cookies.
 */
export function isSameOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, hosts: readonly string[]) {
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  return from !== '' && (from === host || hosts.includes(from));
}
