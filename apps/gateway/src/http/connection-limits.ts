import type { Server } from 'node:net';
import type { RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { observeGauge } from '@trunkline/runtime';
import { Counter, type Registry } from 'prom-client';
import { KeyedCounter } from '@trunkline/runtime/concurrency';
import { networkMatcher, parseAddress, sourceOf } from './network.ts';

type RefusalOfConnection = 'all' | 'address';

/** Registers metrics of the connections of clients; returns a function that counts one that was closed at once. */
export function observeConnections(registry: Registry, server: Server): (limit: RefusalOfConnection) => void {
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  observeGauge(registry, {
    name: 'trunkline_http_connections',
    help: 'Open connections of clients',
    read: () => [{ value: open }],
  });
  const refused = new Counter({
    name: 'trunkline_http_connections_refused_total',
    help: 'Connections of clients that were closed at once: above the limit of all, or of their address',
    labelNames: ['limit'],
    registers: [registry],
  });
  const count = (limit: RefusalOfConnection) => refused.inc({ limit });
  for (const limit of ['all', 'address'] satisfies RefusalOfConnection[]) refused.inc({ limit }, 0);
  // Node.js reports so what it closes above `maxConnections`.
  server.on('drop', () => count('all'));
  return count;
}

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

/** Requests of one connection that may wait for the response to an earlier one. */
export const waitingMax = 32;

/**
 * Returns a listener that handles the requests of a connection one after the other, as their responses are sent: a
 * client that pipelines requests has no more under way, and no more unread responses, than clients that do not. A
 * connection on which more requests wait is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const waitingOn = new WeakMap<Duplex, (() => void)[]>();
  const handleNext = (socket: Duplex) => {
    const handle = socket.destroyed ? undefined : waitingOn.get(socket)?.shift();
    if (handle) handle();
    else waitingOn.delete(socket);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const handle = () => {
      outgoing.once('close', () => handleNext(socket));
      listener(incoming, outgoing);
    };
    const waiting = waitingOn.get(socket);
    if (waiting && waiting.length >= waitingMax) socket.destroy();
    else if (waiting) waiting.push(handle);
    else {
      waitingOn.set(socket, []);
      handle();
    }
  };
}
