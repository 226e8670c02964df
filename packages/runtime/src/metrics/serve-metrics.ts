import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { containErrors } from '../contain-errors.ts';
import type { Logger } from '../logger.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly registry: Registry;
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Returns what the process lacks to do its work; `/readyz` is not served when this function is absent. */
  readonly missing?: () => Promise<readonly string[]>;
  readonly logger: Pick<Logger, 'error'>;
}

const text = { 'Content-Type': 'text/plain' };
const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

async function answer(
  { registry, missing }: MetricsServerOptions,
  path: string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (path === '/metrics') {
    const metrics = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(metrics);
  } else if (path === '/healthz') {
    response.writeHead(200, text).end('ok');
  } else if (path === '/readyz' && missing) {
    const found = await missing();
    response.writeHead(found.length === 0 ? 200 : 503, json).end(JSON.stringify({ missing: found }));
  } else {
    response.writeHead(404, text).end('Not found\n');
  }
}

/** Serves `/metrics`, `/healthz` and, with `missing`, `/readyz` on a port of its own. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, logger } = options;
  const report = (error: unknown) => logger.error({ err: error }, 'request for metrics failed');
  const server = createServer(containErrors((request, response) => answer(options, request.url, response), report));
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', report);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
