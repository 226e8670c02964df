import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { createApp } from './app.ts';

/** A client that is slower than this is not served; the time an answer takes is not limited here. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Longer than load balancers keep theirs, so that it is never this end that closes first.
  keepAliveTimeout: 75_000,
};
const requestsPerSocketMax = 100_000;
/** A client that takes nothing of its answer for so long has gone, as for answers that come from the bus in pieces. */
const unreadMsMax = 60_000;

/** How long a client that holds an idle connection has to send, be answered and told to leave. */
const leaveMs = 500;
const idleCheckMs = 100;

export interface HttpServer {
  readonly port: number;
  /** Takes no new connection; resolves when every request has been answered, at the latest after this long. */
  drain(msMax: number): Promise<void>;
  /** Ends what is left. */
  close(): void;
}

/** Ends connections on which nothing moves, unless it is we who have nothing to say yet. */
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
      // Not http's own close: it resets idle connections, on which a request may be coming at this moment.
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
