import type { IncomingMessage } from 'node:http';
import { networkMatcher, parseAddress } from './network.ts';

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
