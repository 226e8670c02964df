import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHttpServer, type HttpServerOptions } from './http-server.ts';

type App = Hono<{ Bindings: HttpBindings }>;

const failure = new Error('thrown by the test');
const throwIt = (): never => {
  throw failure;
};

async function setUp(options: Partial<HttpServerOptions> = {}) {
  const app: App = new Hono();
  const report = vi.fn<(error: unknown) => void>();
  app.get('/', (c) => c.text('ok'));
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0, connectionsMax: 100, report, ...options });
  onTestFinished(() => server.close());
  /** Sends a request on a connection of its own. */
  const get = async (path: string): Promise<string> => {
    const sent = httpGet({ host: '127.0.0.1', port: server.port, path, agent: false });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  };
  return { app, report, server, get };
}

describe('A11 an error ends its connection alone', () => {
  it.each<[string, (app: App) => void]>([
    ['in the handler of errors', (app) => void app.get('/bad', throwIt).onError(throwIt)],
    ['that is no Error', (app) => void app.get('/bad', () => Promise.reject('thrown by the test'))],
    [
      'as an event of the response',
      (app) =>
        void app.get('/bad', async ({ env: { outgoing } }) => {
          outgoing.writeHead(200).end('a');
          outgoing.write('behind the end');
          return RESPONSE_ALREADY_SENT;
        }),
    ],
  ])('%s, and is reported', async (_where, addTo) => {
    const { app, get, report } = await setUp();
    addTo(app);
    const answer = await get('/bad').catch(() => 'closed');
    expect(answer).not.toContain('thrown by the test');
    expect(report).toHaveBeenCalledOnce();
    expect(await get('/')).toBe('ok');
  });

  it.each<[string, (app: App) => void]>([
    ['after the answer', (app) => void app.get('/bad', (c) => Promise.reject(c.env.outgoing.end('a') && failure))],
    [
      'in the stream of a body',
      (app) => void app.get('/bad', () => new Response(new ReadableStream({ pull: throwIt }))),
    ],
  ])('%s', async (_where, addTo) => {
    // The library logs it.
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const { app, get } = await setUp();
    addTo(app);
    await get('/bad').catch(() => 'closed');
    expect(logged).toHaveBeenCalled();
    expect(await get('/')).toBe('ok');
  });

  it('of the function that tells sources apart, also on a connection with further requests', async () => {
    let fails = true;
    const { server, get, report } = await setUp({ sourceOf: () => (fails ? throwIt() : 'a') });
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
    await once(socket, 'close');
    expect(report).toHaveBeenCalledWith(failure);
    fails = false;
    expect(await get('/')).toBe('ok');
  });

  it.each([
    ['a request to upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n'],
    ['no HTTP', '\x16\x03\x01\x02\0'],
    ['headers that are too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
  ])('of a client that sends %s and goes', async (_what, bytes) => {
    const { server, get, report } = await setUp();
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.write(bytes, 'latin1');
    await new Promise<unknown>((resolve) => socket.once('data', resolve).once('close', resolve));
    socket.resetAndDestroy();
    expect(await get('/')).toBe('ok');
    expect(report).not.toHaveBeenCalled();
  });

  it('of a request whose turn comes behind another on its connection', async () => {
    const { app, server, get, report } = await setUp();
    app.get('/bad', throwIt).onError(throwIt);
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    socket.resume().write(one('/') + one('/bad'));
    await vi.waitFor(() => expect(report).toHaveBeenCalledWith(failure), { timeout: 20_000 });
    expect(await get('/')).toBe('ok');
  });
});

it('A11 a response has a status line and headers of printable ASCII, whoever writes them', async () => {
  const { app, server, report } = await setUp();
  const text = 'プロ ü\r\nX: y';
  app.get('/raw', ({ env: { outgoing } }) => {
    outgoing.setHeader('X-Set', [text, 'b']);
    outgoing.writeHead(403, text, { 'X-Written': text }).end();
    return RESPONSE_ALREADY_SENT;
  });
  app.get('/hono', () => new Response('', { headers: { 'X-Written': text } }));
  const safe = '%E3%83%97%E3%83%AD %C3%BC%0D%0AX: y';
  const raw = await fetch(`http://127.0.0.1:${server.port}/raw`);
  const headersOf = ({ headers }: Response) => [headers.get('x-set'), headers.get('x-written')];
  expect([raw.status, raw.statusText, ...headersOf(raw)]).toEqual([403, safe, `${safe}, b`, safe]);
  const ofHono = await fetch(`http://127.0.0.1:${server.port}/hono`);
  expect([ofHono.status, ...headersOf(ofHono)]).toEqual([200, null, safe]);
  expect(report).not.toHaveBeenCalled();
});
