import type { HttpBindings } from '@hono/node-server';
import { rpcPath } from '@trunkline/contracts';
import { Hono, type Handler } from 'hono';
import type { Readiness } from '../health/readiness.ts';

interface AppTools {
  readonly endpoint: Handler<{ Bindings: HttpBindings }>;
  readonly readiness: Readiness;
  readonly isStopping: () => boolean;
}

/** Every path the gateway answers. */
export function createApp({ endpoint, readiness, isStopping }: AppTools) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.all(rpcPath, endpoint);
  app.all(`${rpcPath}/`, endpoint);
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => {
    const missing = isStopping() ? ['stopping'] : await readiness();
    return c.json({ missing }, missing.length === 0 ? 200 : 503, { 'Cache-Control': 'no-store' });
  });
  app.notFound((c) => c.text('Not found', 404));
  return app;
}
