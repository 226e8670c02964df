import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { takeOverTimeLimit } from './limit-arrival.ts';
import { startHttpServer, type HttpServer, type HttpServerOptions } from './http-server.ts';

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Starts a server on which `/slow` is answered when the test calls `finish`. */
async function setUp(options: Partial<HttpServerOptions> = {}) {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let begun = () => {};
  const slowBegun = new Promise<void>((resolve) => (begun = resolve));
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/', (c) => c.text('ok'));
  app.get('/slow', async (c) => {
    begun();
    await finished;
    return c.text('late');
  });
  const server = await startHttpServer(app, {
    host: '127.0.0.1',
    port: 0,
    connectionsMax: 100,
    report: () => {},
    ...options,
  });
  const agent = new Agent({ keepAlive: true });
  cleanUps.push(() => {
    agent.destroy();
    server.close();
  });
  const get = async (path: string): Promise<string> => {
    const sent = request({ agent, host: '127.0.0.1', port: server.port, path }).end();
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  };
  return { app, server, get, finish, slowBegun };
}

async function isRefused(server: HttpServer): Promise<boolean> {
  const socket = connect(server.port, '127.0.0.1');
  return once(socket, 'connect').then(
    () => false,
    () => true,
  );
}

describe('startHttpServer', () => {
  it('throws EADDRINUSE for a port that is in use', async () => {
    const { app, server } = await setUp();
    const again = startHttpServer(app, { host: '127.0.0.1', port: server.port, connectionsMax: 1, report: () => {} });
    await expect(again).rejects.toThrow(/EADDRINUSE/);
  });

  it('accepts no connection while it drains, and answers requests in flight', async () => {
    const { server, get, finish, slowBegun } = await setUp();
    const slow = get('/slow');
    await slowBegun;
    const drained = server.drain(10_000);
    expect(await isRefused(server)).toBe(true);
    finish();
    expect(await slow).toBe('late');
    await drained;
  });

  it('E8 has each response close its connection, also of a request that was pending, and accepts others', async () => {
    const { server, finish, slowBegun } = await setUp();
    const connectionOf = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      await response.text();
      return response.headers.get('connection');
    };
    expect(await connectionOf('/')).toBe('keep-alive');
    const slow = connectionOf('/slow');
    await slowBegun;
    server.closeAfterResponses();
    expect(await connectionOf('/')).toBe('close');
    finish();
    expect(await slow).toBe('close');
  });

  it('answers a request on a connection that was idle when the drain began', async () => {
    const { server, get } = await setUp();
    await get('/');
    const drained = server.drain(10_000);
    expect(await get('/')).toBe('ok');
    await drained;
  });

  it('A5 closes connections beyond the limit, and serves those that are open', async () => {
    const { server, get } = await setUp({ connectionsMax: 1, report: () => {} });
    expect(await get('/')).toBe('ok');
    const surplus = connect(server.port, '127.0.0.1').on('error', () => {});
    await once(surplus, 'close');
    expect(await get('/')).toBe('ok');
  });

  it('A5 closes connections of one address beyond half of all, and serves others and proxies', async () => {
    const openFrom = async (server: HttpServer, localAddress: string) => {
      const socket = connect({ host: '127.0.0.1', port: server.port, localAddress }).on('error', () => {});
      cleanUps.push(() => socket.destroy());
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return Promise.race([once(socket, 'data').then(() => socket), once(socket, 'close').then(() => null)]);
    };
    const { server } = await setUp({ connectionsMax: 4, trustedProxies: ['127.0.0.3'] });
    const first = await openFrom(server, '127.0.0.1');
    expect(await openFrom(server, '127.0.0.1')).not.toBeNull();
    expect(await openFrom(server, '127.0.0.1')).toBeNull();
    expect(await openFrom(server, '127.0.0.2')).not.toBeNull();
    first?.destroy();
    await vi.waitFor(async () => expect(await openFrom(server, '127.0.0.1')).not.toBeNull(), { timeout: 20_000 });
    const proxied = await setUp({ connectionsMax: 4, trustedProxies: ['127.0.0.3'] });
    for (let index = 0; index < 4; index += 1) expect(await openFrom(proxied.server, '127.0.0.3')).not.toBeNull();
  });

  it('A5 serves a request that has arrived while the event loop was late, and gives up one that has not', async () => {
    const arrivalLimits = { headersTimeout: 1_000, requestTimeout: 2_000, connectionsCheckingInterval: 50 };
    const { server } = await setUp({ arrivalLimits });
    const answerTo = async (text: string, lateMs: number) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      cleanUps.push(() => socket.destroy());
      await once(socket, 'connect');
      // The server has taken the connection by the second turn of the event loop, and read nothing from it.
      await turn();
      await turn();
      socket.write(text);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lateMs);
      return String((await once(socket, 'data'))[0]).split('\r\n', 1)[0];
    };
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 2_000)).toBe('HTTP/1.1 200 OK');
    expect(await answerTo('GET / HTTP/1.1\r\nHost: a\r\n', 0)).toBe('HTTP/1.1 408 Request Timeout');
  });

  it('A5 gives up a body that does not arrive in time, read or not, unless its reader limits the time', async () => {
    const arrivalLimits = { headersTimeout: 500, requestTimeout: 100, connectionsCheckingInterval: 20 };
    const { app, server, get } = await setUp({ arrivalLimits });
    let givenUp = 0;
    app.post('/own', async (c) => {
      takeOverTimeLimit(c.env.incoming);
      const { incoming } = c.env;
      let bytes = 0;
      for await (const chunk of incoming) bytes += (chunk as Buffer).length;
      return c.text(String(bytes));
    });
    app.post('/read', async (c) => {
      await c.req.arrayBuffer().catch(() => (givenUp += 1));
      return c.text('');
    });
    const begin = (path: string) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      cleanUps.push(() => socket.destroy());
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na`);
      return socket;
    };
    const own = begin('/own');
    const read = begin('/read');
    expect(String((await once(read, 'data'))[0])).toMatch(/^HTTP\/1\.1 408 /);
    await vi.waitFor(() => expect(givenUp).toBe(1), { timeout: 20_000 });
    // Without a route, the body is left unread.
    const unread = begin('/none');
    await once(unread.resume(), 'close');
    own.write('b');
    expect(String((await once(own, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('/')).toBe('ok');
  });

  it('A5 F8 closes the connection of a client that leaves the second response on it unread', async () => {
    const { app, server } = await setUp({ stalledMs: 100 });
    let onClosed = () => {};
    const connectionClosed = new Promise<void>((resolve) => (onClosed = resolve));
    let isAsked = false;
    app.get('/large', (c) => {
      isAsked = true;
      c.env.incoming.socket.once('close', () => onClosed());
      return c.body(Buffer.alloc(32 * 1024 * 1024));
    });
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const askBoth = () => {
      if (isAsked) return;
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      cleanUps.push(() => socket.destroy());
      socket.write(`${ask('/')}${ask('/large')}`);
    };
    // Nothing reads what arrives, so that the sockets stop receiving when their buffers are full. On a busy machine a
    // connection may be closed before its requests are read.
    const look = () => (askBoth(), expect(isAsked).toBe(true));
    await vi.waitFor(look, { timeout: 60_000, interval: 200 });
    await expect(connectionClosed).resolves.toBeUndefined();
  });

  it('A5 keeps the connection of a client that waits for its response, or reads it slowly', async () => {
    const { app, server, get, finish, slowBegun } = await setUp({ stalledMs: 1_000 });
    app.get('/large', (c) => c.body(Buffer.alloc(32 * 1024 * 1024)));
    const slow = get('/slow');
    await slowBegun;
    const [response] = await once(request({ host: '127.0.0.1', port: server.port, path: '/large' }).end(), 'response');
    let bytes = 0;
    // The whole read takes longer than the limit; no single pause does.
    for await (const chunk of response) {
      bytes += chunk.length;
      await wait(3);
    }
    expect(bytes).toBe(32 * 1024 * 1024);
    finish();
    expect(await slow).toBe('late');
  });

  it('gives up a drain after `msMax`; close then ends the requests in flight', async () => {
    const { server, get, slowBegun } = await setUp();
    const slow = get('/slow');
    await slowBegun;
    await server.drain(1);
    server.close();
    await expect(slow).rejects.toThrow(/socket hang up|ECONNRESET/);
  });
});
