import type { IncomingMessage } from 'node:http';
import { networkMatcher, parseAddress } from './network.ts';

type Peer = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/** Stands for the address of a socket that has none, since its client has disconnected. */
const unknownAddress = '0.0.0.0';

/** The other end of a connection. */
interface KnownPeer {
  readonly remoteAddress: string | undefined;
  readonly client: ReturnType<typeof parseAddress>;
  readonly text: string;
  readonly isTrusted: boolean;
}

/**
 * Creates a function that returns a client's address: the socket's or, as long as each hop is a trusted proxy, the next
 * entry of X-Forwarded-For from the right. Entries to the left of an untrusted or malformed entry are ignored.
 */
export function clientAddressReader(trustedProxies: readonly string[]): (request: Peer) => string {
  const isTrusted = networkMatcher(trustedProxies);
  /** By socket: each of a connection's requests asks more than once. */
  const known = new WeakMap<Peer['socket'], KnownPeer>();
  const peerOf = (socket: Peer['socket']): KnownPeer => {
    const { remoteAddress } = socket;
    const before = known.get(socket);
    if (before && before.remoteAddress === remoteAddress) return before;
    const client = parseAddress(remoteAddress ?? '');
    const text = client?.toString() ?? unknownAddress;
    const peer = { remoteAddress, client, text, isTrusted: client !== null && isTrusted(client) };
    known.set(socket, peer);
    return peer;
  };
  return ({ socket, headers }) => {
    const peer = peerOf(socket);
    let { client } = peer;
    if (!client || !peer.isTrusted) return peer.text;
    const hops = headers['x-forwarded-for']?.toString().split(',') ?? [];
    while (isTrusted(client)) {
      const next = parseAddress(hops.pop()?.trim() ?? '');
      if (!next) break;
      client = next;
    }
    return client.toString();
  };
}
