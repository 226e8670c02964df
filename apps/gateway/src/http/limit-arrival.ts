import type { Server } from 'node:http';

/** Time limits for the arrival of requests, and how often the server checks them. */
export interface ArrivalLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

/**
 * Lengthens the time limits of requests by the time for which the event loop was late during them: what had arrived was
 * not read meanwhile. Has to be called before the server listens, so that it measures each time before the server checks.
 */
export function forgiveLateLoop(
  server: Server,
  { headersTimeout, requestTimeout, connectionsCheckingInterval }: ArrivalLimits,
) {
  const delays: number[] = [];
  let last = performance.now();
  const measure = () => {
    const now = performance.now();
    delays.push(Math.max(0, now - last - connectionsCheckingInterval));
    last = now;
    if (delays.length * connectionsCheckingInterval > requestTimeout) delays.shift();
    const lateMs = Math.ceil(delays.reduce((sum, ms) => sum + ms, 0));
    server.headersTimeout = headersTimeout + lateMs;
    server.requestTimeout = requestTimeout + lateMs;
  };
  const timer = setInterval(measure, connectionsCheckingInterval).unref();
  server.once('close', () => clearInterval(timer));
}
