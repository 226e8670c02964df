import type { Server } from 'node:net';
import { observeGauge } from '@trunkline/runtime';
import { Counter, type Registry } from 'prom-client';

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
