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

type Request = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean };
};

/**
 * Creates a function that returns whether the client uses https: by the socket or, behind a trusted proxy, by the last
 * entry of X-Forwarded-Proto.
 */
export function createIsSecure(trustedProxies: readonly string[]): (request: Request) => boolean {
  const isTrusted = networkMatcher(trustedProxies);
  return ({ socket, headers }) => {
    if (socket.encrypted) return true;
    const peer = parseAddress(socket.remoteAddress ?? '');
    const forwardedProto = headers['x-forwarded-proto']?.toString().split(',').at(-1)?.trim().toLowerCase();
    return peer !== null && isTrusted(peer) && forwardedProto === 'https';
  };
}

/** The URL and the hosts under which clients reach the service. */
export interface Origin {
  /** Hosts of the pages, besides the host that a request names. */
  readonly hosts: readonly string[];
  /** Returns the URL of the service, without a trailing slash. */
  baseUrl(incoming: IncomingMessage): string;
}

const hostForm = /^[\w.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i;

/** Creates the origin from the configured URL or, when that is empty, from the Host header of each request. */
export function createOrigin(configured: string, isSecure: (incoming: IncomingMessage) => boolean): Origin {
  // The look-behind lets a run of slashes match at its beginning only, which takes linear time.
  const fixed = configured.replace(/(?<!\/)\/+$/, '');
  return {
    hosts: fixed === '' ? [] : [new URL(fixed).host],
    baseUrl(incoming) {
      if (fixed !== '') return fixed;
      const { host = '' } = incoming.headers;
      return `${isSecure(incoming) ? 'https' : 'http'}://${hostForm.test(host) ? host : 'localhost'}`;
    },
  };
}
