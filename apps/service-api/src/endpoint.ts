import { rpcPath } from '@trunkline/contracts';
import { UsageError } from './client-error.ts';

/** Where the API of a service answers; throws UsageError for what is no HTTP address. */
export function endpointOf(apihost: string): URL {
  const url = URL.canParse(apihost) ? new URL(apihost) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('Invalid apihost: expected http://<host> or https://<host>');
  }
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${rpcPath}`;
  return url;
}
