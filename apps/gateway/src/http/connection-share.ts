import type { Server } from 'node:net';
import { KeyedCounter } from '@trunkline/runtime/concurrency';
import { sourceOf } from '../authn/source-of.ts';
import { networkMatcher, parseAddress } from './network.ts';

interface ConnectionShare {
  /** Number of connections that one address may have. */
  readonly max: number;
  /** Networks whose connections are those of many clients, and are not limited. */
  readonly trustedProxies: readonly string[];
  /** Called for each connection that is closed. */
  readonly refused?: () => void;
}

/** Closes at once the connections of an address, or of its network (IPv6 /64), beyond its share. */
export function shareConnections(server: Server, { max, trustedProxies, refused }: ConnectionShare): void {
  const isProxy = networkMatcher(trustedProxies);
  const open = new KeyedCounter<string>();
  server.on('connection', (socket) => {
    const address = parseAddress(socket.remoteAddress ?? '');
    if (!address || isProxy(address)) return;
    const source = sourceOf(address.toString());
    if (open.of(source) >= max) {
      socket.destroy();
      refused?.();
      return;
    }
    open.add(source);
    socket.once('close', () => open.remove(source));
  });
}
