import type { IncomingMessage } from 'node:http';
import { networkMatcher, parseAddress } from './network.ts';

type Peer = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/** Stands for the address of a socket that has none, since its client has disconnected. */
const unknownAddress = '0.0.0.0';

/**
 * Creates a function that returns a client's address: the socket's or, as long as each hop is a trusted proxy, the next
 * entry of X-Forwarded-For from the right. Entries to the left of an untrusted or malformed entry are ignored.
 */
export function clientAddressReader(trustedProxies: readonly string[]): (request: Peer) => string {
  const isTrusted = networkMatcher(trustedProxies);
  return ({ socket, headers }) => {
    let client = parseAddress(socket.remoteAddress ?? '');
    if (!client) return unknownAddress;
    const hops = headers['x-forwarded-for']?.toString().split(',') ?? [];
    while (isTrusted(client)) {
      const next = parseAddress(hops.pop()?.trim() ?? '');
      if (!next) break;
      client = next;
    }
    return client.toString();
  };
}
