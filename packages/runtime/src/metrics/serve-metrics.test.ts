import { Registry } from 'prom-client';
import { afterEach, expect, it, vi } from 'vitest';
import { serveMetrics, type MetricsServer } from './serve-metrics.ts';

let server: MetricsServer | undefined;
afterEach(() => server?.close());

const logger = { error: vi.fn() };

async function serve(missing?: () => Promise<readonly string[]>) {
  const { port } = (server = await serveMetrics({
    registry: new Registry(),
    host: '127.0.0.1',
    port: 0,
    logger,
    ...(missing && { missing }),
  }));
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
}

it('answers 200 at /healthz and /metrics, and 404 at other paths', async () => {
  const get = await serve();
  expect(await get('/healthz')).toEqual([200, 'ok']);
  expect((await get('/metrics'))[0]).toBe(200);
  expect((await get('/readyz'))[0]).toBe(404);
  expect((await get('/'))[0]).toBe(404);
});

it('answers 200 at /readyz when nothing is missing, else 503 with a list of what is missing', async () => {
  let missing: string[] = [];
  const get = await serve(async () => missing);
  expect(await get('/readyz')).toEqual([200, '{"missing":[]}']);
  missing = ['bus', 'lane metadata'];
  expect(await get('/readyz')).toEqual([503, '{"missing":["bus","lane metadata"]}']);
});

it('A11 an error in an answer closes its connection and is logged', async () => {
  let fails = true;
  const failure = new Error('thrown by the test');
  const get = await serve(async () => {
    if (fails) throw failure;
    return [];
  });
  await expect(get('/readyz')).rejects.toThrow('fetch failed');
  expect(logger.error).toHaveBeenCalledWith({ err: failure }, 'request for metrics failed');
  fails = false;
  expect((await get('/readyz'))[0]).toBe(200);
});
