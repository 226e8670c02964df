import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { createApp } from './app.ts';

/** Time limits for receiving a request; the time of a response is not limited here. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Longer than the idle timeout of load balancers, so that this side never closes first.
  keepAliveTimeout: 75_000,
};
const requestsPerSocketMax = 100_000;
/** A client that reads nothing of its response for so long is considered gone, as for streams of the bus. */
const unreadMsMax = 60_000;

/** The time in which a client on an idle connection may send one more request, whose response closes the connection. */
const leaveMs = 500;
const idleCheckMs = 100;

export interface HttpServer {
  readonly port: number;
  /** Accepts no new connection; resolves when every request is answered, at the latest after `msMax`. */
  drain(msMax: number): Promise<void>;
  /** Closes all connections. */
  close(): void;
}

/** Closes connections without traffic, except those whose response is not ready yet. */
function endUnread(server: Server, ms: number): void {
  const asked = new WeakMap<Duplex, number>();
  const count = (socket: Duplex, by: number) => asked.set(socket, (asked.get(socket) ?? 0) + by);
  server.on('request', ({ socket }, outgoing) => {
    count(socket, 1);
    outgoing.once('close', () => count(socket, -1));
  });
  server.setTimeout(ms, (socket) => {
    if (socket.writableLength > 0 || !asked.get(socket)) socket.destroy();
  });
}

export async function startHttpServer(
  app: ReturnType<typeof createApp>,
  { host, port, unreadMs = unreadMsMax }: { host: string; port: number; unreadMs?: number },
): Promise<HttpServer> {
  const answer = getRequestListener(app.fetch, { hostname: host });
  const server = createServer(limits, (incoming, outgoing) => void answer(incoming, outgoing));
  endUnread(server, unreadMs);
  server.maxRequestsPerSocket = requestsPerSocketMax;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  let closed: Promise<true> | undefined;

  return {
    port: typeof address === 'object' && address ? address.port : port,
    async drain(msMax) {
      const giveUpAt = performance.now() + msMax;
      // Not http's own close: it resets idle connections, on which a request may be arriving.
      closed ??= new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve(true)));
      let waitMs = leaveMs;
      while (!(await withTimeout(closed, waitMs, () => false)) && performance.now() < giveUpAt) {
        server.closeIdleConnections();
        waitMs = idleCheckMs;
      }
    },
    close: () => server.closeAllConnections(),
  };
}
