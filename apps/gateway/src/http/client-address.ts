import type { IncomingMessage } from 'node:http';
import { networkMatcher, parseAddress } from './network.ts';

type Peer = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/** What a socket shows once the client has gone. */
const nobody = '0.0.0.0';

/**
 * Who calls: the socket's address or, while each hop is a trusted proxy, the next entry of X-Forwarded-For from
 * the right. Nothing left of an untrusted or unreadable entry is believed.
 */
export function clientAddressReader(trustedProxies: readonly string[]): (request: Peer) => string {
  const isTrusted = networkMatcher(trustedProxies);
  return ({ socket, headers }) => {
    let client = parseAddress(socket.remoteAddress ?? '');
    if (!client) return nobody;
    const hops = headers['x-forwarded-for']?.toString().split(',') ?? [];
    while (isTrusted(client)) {
      const next = parseAddress(hops.pop()?.trim() ?? '');
      if (!next) break;
      client = next;
    }
    return client.toString();
  };
}
