import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { containErrors } from '@trunkline/runtime';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { Registry } from 'prom-client';
import type { createApp } from './app.ts';
import { Admission, observeAdmission } from './admission/admission.ts';
import { oneAtATime, observeConnections, shareConnections } from './connection-limits.ts';
import { limitArrival, type ArrivalLimits } from './limit-arrival.ts';
import { SafeResponse } from './safe-response.ts';
import { contentHeaders } from './web-headers.ts';

/** The time of a response is not limited here. */
const arrivalLimitsDefault: ArrivalLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
};
const limits = {
  // Longer than the idle timeout of load balancers, so that the gateway never closes first.
  keepAliveTimeout: 75_000,
  // Bodies have their limits from `limitArrival`.
  requestTimeout: 0,
  // Mercurial clients send lists of changesets in headers.
  maxHeaderSize: 65_536,
};
const requestsPerSocketMax = 100_000;
/**
 * Time without traffic after which a connection is closed: its client reads no response, or has no request pending.
 * After a response, Node.js applies keepAliveTimeout instead. Transfers over data ports have the same limit.
 */
const stalledMsMax = 60_000;

/** Time for which idle connections stay open when a drain begins, so that a request already sent is still answered. */
const idleGraceMs = 500;
const idleCloseIntervalMs = 100;

export interface HttpServer {
  readonly port: number;
  /** Has each response close its connection from now on: clients and load balancers open new ones elsewhere. */
  closeAfterResponses(): void;
  /** Stops accepting connections; resolves when every request is answered, at the latest after `msMax` milliseconds. */
  drain(msMax: number): Promise<void>;
  /** Closes all connections. */
  close(): void;
}

/** Closes connections without traffic for `ms` milliseconds, except those whose response is not ready yet. */
function closeStalled(server: Server, ms: number): void {
  const pendingRequests = new WeakMap<Duplex, number>();
  const count = (socket: Duplex, by: number) => pendingRequests.set(socket, (pendingRequests.get(socket) ?? 0) + by);
  server.on('request', ({ socket }, outgoing) => {
    count(socket, 1);
    outgoing.once('close', () => count(socket, -1));
  });
  server.setTimeout(ms, (socket) => {
    // Unsent bytes mean that the client does not read.
    if (socket.writableLength > 0 || !pendingRequests.get(socket)) socket.destroy();
  });
}

/** Returns a function after which each response whose head was not sent closes its connection. */
function closableAfterResponses(server: Server): () => void {
  const open = new Set<ServerResponse>();
  let isClosing = false;
  // Before the listener that may respond at once.
  server.prependListener('request', (_incoming, outgoing) => {
    if (isClosing) outgoing.shouldKeepAlive = false;
    open.add(outgoing);
    outgoing.once('close', () => open.delete(outgoing));
  });
  return () => {
    isClosing = true;
    for (const outgoing of open) outgoing.shouldKeepAlive = false;
  };
}

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Number of connections beyond which further ones are closed at once. */
  readonly connectionsMax: number;
  /** Logs an error that has ended the connection of a request, or kept one from being accepted. */
  readonly report: (error: unknown) => void;
  /** Networks of proxies; the connections of any other address are limited to half of them. */
  readonly trustedProxies?: readonly string[];
  /** Returns the source of a request: those that send many are served fairly. By default the peer's address. */
  readonly sourceOf?: (incoming: IncomingMessage) => string;
  /** Gets the metrics of connections and of the requests that wait. */
  readonly registry?: Registry;
  readonly stalledMs?: number;
  readonly arrivalLimits?: ArrivalLimits;
}

export async function startHttpServer(
  app: ReturnType<typeof createApp>,
  {
    host,
    port,
    connectionsMax,
    report,
    trustedProxies = [],
    sourceOf = ({ socket }) => socket.remoteAddress ?? '',
    registry,
    stalledMs = stalledMsMax,
    arrivalLimits = arrivalLimitsDefault,
  }: HttpServerOptions,
): Promise<HttpServer> {
  const errorHandler = (error: unknown) => {
    // What is wrong with the address of the request.
    if (error instanceof RequestError) return new Response(null, { status: 400 });
    report(error);
    return new Response('Internal server error', { status: 500, headers: contentHeaders });
  };
  const answer = getRequestListener(app.fetch, { hostname: host, errorHandler });
  const admission = new Admission({ sourceOf });
  if (registry) observeAdmission(registry, admission);
  const listener = oneAtATime(containErrors(admission.admit(answer), report));
  const { headersTimeout, connectionsCheckingInterval } = arrivalLimits;
  const timing = { headersTimeout, connectionsCheckingInterval };
  const server: Server = createServer({ ...limits, ...timing, ServerResponse: SafeResponse }, listener);
  closeStalled(server, stalledMs);
  const closeAfterResponses = closableAfterResponses(server);
  server.maxConnections = connectionsMax;
  const countRefused = registry && observeConnections(registry, server);
  const refused = () => countRefused?.('address');
  shareConnections(server, { max: Math.ceil(connectionsMax / 2), trustedProxies, refused });
  server.maxRequestsPerSocket = requestsPerSocketMax;
  limitArrival(server, arrivalLimits);
  // Otherwise 511 connections may wait to be accepted, and the system drops what is beyond them.
  server.listen({ port, host, backlog: connectionsMax });
  await once(server, 'listening');
  server.on('error', report);
  const address = server.address();
  let closed: Promise<true> | undefined;

  return {
    port: typeof address === 'object' && address ? address.port : port,
    closeAfterResponses,
    async drain(msMax) {
      const deadline = performance.now() + msMax;
      // Calls the close of net.Server: that of http.Server resets idle connections, on which a request may be arriving.
      closed ??= new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve(true)));
      let waitMs = idleGraceMs;
      while (!(await withTimeout(closed, waitMs, () => false)) && performance.now() < deadline) {
        server.closeIdleConnections();
        waitMs = idleCloseIntervalMs;
      }
    },
    close() {
      admission.close();
      server.closeAllConnections();
    },
  };
}
