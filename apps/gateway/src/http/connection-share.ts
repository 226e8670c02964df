import type { Server } from 'node:net';
import { KeyedCounter } from '@trunkline/runtime/concurrency';
import { sourceOf } from '../authn/source-of.ts';
import { networkMatcher, parseAddress } from './network.ts';

interface ConnectionShare {
  /** Number of connections that one address may have. */
  readonly max: number;
  /** Networks whose connections are those of many clients, and are not limited. */
  readonly trustedProxies: readonly string[];
}

/** Closes at once the connections of an address, or of its network (IPv6 /64), beyond its share. */
export function shareConnections(server: Server, { max, trustedProxies }: ConnectionShare): void {
  const isProxy = networkMatcher(trustedProxies);
  const open = new KeyedCounter<string>();
  server.on('connection', (socket) => {
    const address = parseAddress(socket.remoteAddress ?? '');
    if (!address || isProxy(address)) return;
    const source = sourceOf(address.toString());
    if (open.of(source) >= max) {
      socket.destroy();
      return;
    }
    open.add(source);
    socket.once('close', () => open.remove(source));
  });
}
