import type { IncomingMessage } from 'node:http';
import { networkMatcher, parseAddress } from './network.ts';

type Peer = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/** The address of a socket whose client has disconnected. */
const nobody = '0.0.0.0';

/**
 * The client's address: the socket's or, while each hop is a trusted proxy, the next entry of X-Forwarded-For from the
 * right. Entries to the left of an untrusted or unreadable one are ignored.
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
