import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Time limits for the arrival of requests, and how often they are checked. */
export interface ArrivalLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

interface Arriving {
  readonly since: number;
  readonly outgoing: ServerResponse;
}

const withOwnLimits = new WeakSet<IncomingMessage>();

/** Leaves the time limit of a request's body to its reader, until the returned function is called. */
export function takeOverTimeLimit(incoming: IncomingMessage): () => void {
  withOwnLimits.add(incoming);
  return () => withOwnLimits.delete(incoming);
}

/** Answers a request that has not arrived in time as Node.js would, unless its response has begun. */
function giveUp({ socket, complete }: IncomingMessage, outgoing: ServerResponse): void {
  if (complete) return;
  // A response without a socket waits for that of an earlier request.
  const mayAnswer = outgoing.socket !== null && !outgoing.headersSent && socket.writable;
  if (mayAnswer) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroy();
}

/**
 * Limits the time in which requests arrive. The limits grow by the time for which the event loop was late meanwhile:
 * what had arrived was not read. Node.js checks the headers alone, since it has one limit for all bodies. Has to be
 * called before the server listens, so that it measures each time before the server checks.
 */
export function limitArrival(
  server: Server,
  { headersTimeout, requestTimeout, connectionsCheckingInterval }: ArrivalLimits,
) {
  const delays: number[] = [];
  const arriving = new Map<IncomingMessage, Arriving>();
  let last = performance.now();
  server.on('request', (incoming, outgoing) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
    if (length === undefined && encoding === undefined) return;
    arriving.set(incoming, { since: performance.now(), outgoing });
    incoming.once('close', () => arriving.delete(incoming));
  });
  const check = () => {
    const now = performance.now();
    delays.push(Math.max(0, now - last - connectionsCheckingInterval));
    last = now;
    if (delays.length * connectionsCheckingInterval > requestTimeout) delays.shift();
    const lateMs = Math.ceil(delays.reduce((sum, ms) => sum + ms, 0));
    server.headersTimeout = headersTimeout + lateMs;
    for (const [incoming, { since, outgoing }] of arriving) {
      if (incoming.complete) arriving.delete(incoming);
      else if (!withOwnLimits.has(incoming) && now - since > requestTimeout + lateMs) {
        // Only after a turn of the event loop, which reads what has arrived while the loop was late.
        setImmediate(() => giveUp(incoming, outgoing));
      }
    }
  };
  const timer = setInterval(check, connectionsCheckingInterval).unref();
  server.once('close', () => clearInterval(timer));
}
