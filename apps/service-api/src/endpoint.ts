import { rpcPath } from '@trunkline/contracts';
import { UsageError } from './client-error.ts';

/** Returns the URL of a service's API; throws UsageError when `apihost` is no http or https URL. */
export function endpointOf(apihost: string): URL {
  const url = URL.canParse(apihost) ? new URL(apihost) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('Invalid apihost: expected http://<host> or https://<host>');
  }
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw new UsageError('Invalid apihost: a % in the name or password before @ has to be written as %25');
  }
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${rpcPath}`;
  return url;
}
