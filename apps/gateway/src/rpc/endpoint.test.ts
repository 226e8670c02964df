import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { AuthenticationError, methods, type ErrorCode } from '@trunkline/contracts';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Command } from '../dispatch/command.ts';
import { createApp } from '../http/app.ts';
import { startHttpServer, type HttpServer } from '../http/http-server.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { createBodySlices } from '../http/body-slices.ts';
import { createReceiveBody } from '../http/receive-body.ts';
import { rpcEndpoint, type EndpointTools } from './endpoint.ts';

const bodyBytesMax = 2_000;
const tooLarge = '{"id":null,"result":null,"error":"Request body is too large (limit 2000 bytes)"}';
const servers: HttpServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function receiver(bytesMax: number, pendingBytesMax: number) {
  const budget = new BodyBudget({ bodyBytesMax: bytesMax, pendingBytesMax });
  return createReceiveBody({ bytesMax, budget, takeSlice: createBodySlices() });
}

/** Starts a gateway whose worker returns "done" and whose only key is `good`. */
async function setUp(tools: Partial<EndpointTools> = {}) {
  const commands: Command[] = [];
  const codes: (ErrorCode | 'ok')[] = [];
  const endpoint = rpcEndpoint({
    receiveBody: receiver(bodyBytesMax, 2 ** 20),
    takeSlice: createBodySlices(),
    clientAddress: () => '192.0.2.1',
    origin: { baseUrl: () => 'http://192.0.2.9' },
    authenticate: async (apiKey) => {
      if (apiKey !== 'good') throw new AuthenticationError('Invalid API key');
      return { userId: 3, username: 'ann', admin: false, apiKeyId: 7, limitedTo: null };
    },
    dispatch: async (command) => {
      commands.push(command);
      return Buffer.from('"done"');
    },
    record: (_, error) => codes.push(error?.code ?? 'ok'),
    ...tools,
  });
  const app = createApp({
    endpoint,
    vcs: (_c, next) => next(),
    web: new Hono(),
    readiness: async () => ({ missing: [], lanes: [], unserved: [] }),
    isStopping: () => false,
    report: () => {},
  });
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0, connectionsMax: 100, report: () => {} });
  servers.push(server);
  const send = (init: RequestInit, path = '/_admin/api') => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  const post = async (body: string) => (await send({ method: 'POST', body })).text();
  return { port: server.port, commands, codes, send, post };
}

/** Opens a raw TCP connection; `text` returns all that was received so far. */
function openSocket(port: number) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
  const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text)) await once(socket, 'data');
  };
  return { socket, closed, until, text: () => text };
}

describe('rpcEndpoint', () => {
  it('has a worker run the method and returns its bytes', async () => {
    const { send, commands } = await setUp();
    const body = '{"id":1.0,"api_key":"good","method":"show_ip","args":{"userid":3}}';
    const response = await send({ method: 'POST', body });
    expect(await response.text()).toBe('{"id":1.0,"result":"done","error":null}');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(commands).toEqual([
      {
        method: methods.get_ip,
        lane: 'metadata',
        args: { userid: 3 },
        caller: { userId: 3, ip: '192.0.2.1', credential: { kind: 'key', id: 7 } },
        baseUrl: 'http://192.0.2.9',
        requestId: response.headers.get('x-request-id'),
        clientGone: expect.any(AbortSignal),
      },
    ]);
  });

  it('sends a result that arrives in chunks, then answers the next request on the connection', async () => {
    const stream = Readable.from(['["a",', '"b"]'].map((text) => Buffer.from(text)));
    const { port, codes } = await setUp({ dispatch: async () => ({ length: 9, stream }) });
    const { socket, closed, until, text } = openSocket(port);
    const body = '{"id":1.0,"api_key":"good","method":"get_repos","args":{}}';
    const head = 'POST /_admin/api HTTP/1.1\r\nHost: a\r\n';
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await until(/\r\n\r\n\{"id":1\.0,"result":\["a","b"\],"error":null\}$/);
    expect(text()).toMatch(/^Content-Length: 42\r$/m);
    expect(text()).toMatch(/^X-Request-Id: /m);
    expect(codes).toEqual(['ok']);
    socket.write(`${head}Connection: close\r\nContent-Length: 2\r\n\r\n[]`);
    await closed;
    expect(text()).toMatch(/\r\n\r\n\{"id":null,.*\}$/);
  });

  it.each([
    ['{"api_key":"SECRETX', 'null', 'JSON parse error ERR:invalid JSON'],
    ['{"id":1,"method":"_x"}', 'null', "Incorrect JSON query missing 'api_key'"],
    ['{"id":1,"api_key":"SECRETX","method":"_x"}', '1', "Incorrect JSON query missing 'args'"],
    ['{"id":1,"api_key":"SECRETX","method":"_x","args":{}}', '1', 'Invalid API key'],
    ['{"id":1,"api_key":"good","method":"_x","args":{}}', '1', 'Method not allowed'],
    ['{"id":1,"api_key":"good","method":"x","args":{}}', '1', 'No such method: x'],
    ['', 'null', 'Content-Length is 0'],
  ])('A1 answers %s in the order of the checks', async (body, id, error) => {
    const { post, commands } = await setUp();
    expect(await post(body)).toBe(`{"id":${id},"result":null,"error":${JSON.stringify(error)}}`);
    expect(commands).toEqual([]);
  });

  it('A2 parses the arguments when the key is accepted, not before', async () => {
    const { post } = await setUp();
    const parse = vi.spyOn(JSON, 'parse');
    const parsedWith = async (key: string) => {
      parse.mockClear();
      await post(`{"id":1,"api_key":"${key}","method":"test","args":{"args":"ARGUMENT"}}`);
      return parse.mock.calls.filter(([json]) => json.includes('ARGUMENT')).length;
    };
    const counts = [await parsedWith('bad'), await parsedWith('good')];
    parse.mockRestore();
    expect(counts).toEqual([0, 1]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('A10 answers %s with status 200', async (method) => {
    const { send } = await setUp();
    for (const path of ['/_admin/api', '/_admin/api/', '/_admin/api?x=1']) {
      const response = await send({ method }, path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('{"id":null,"result":null,"error":"Only POST is supported"}');
    }
  });

  it('A10 answers HEAD without a body', async () => {
    const { port, send, codes } = await setUp();
    expect((await send({ method: 'HEAD' })).status).toBe(200);
    const { socket, closed, text } = openSocket(port);
    socket.write(`HEAD /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n${'x'.repeat(3_000)}`);
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*\r\n\r\n$/);
    expect(codes).toEqual(['invalid_request', 'invalid_request']);
  });

  it.each(['/_admin/api/x', '/_admin', '/', '/_ADMIN/api'])('A10 answers %s with status 404', async (path) => {
    const { send } = await setUp();
    const response = await send({ method: 'POST', body: '{}' }, path);
    expect(response.status).toBe(404);
  });

  it('A8 refuses Content-Encoding, before the verb and after the size', async () => {
    const { send } = await setUp();
    const headers = { 'Content-Encoding': 'gzip' };
    const refused = '{"id":null,"result":null,"error":"Content-Encoding is not supported"}';
    expect(await (await send({ method: 'PUT', body: '{}', headers })).text()).toBe(refused);
    expect(await (await send({ method: 'POST', body: 'x'.repeat(2_001), headers })).text()).toBe(tooLarge);
  });

  it('A4 accepts a body of exactly the limit', async () => {
    const { post } = await setUp();
    const body = '{"id":1,"api_key":"good","method":"test","args":{}}'.padEnd(bodyBytesMax);
    expect(await post(body)).toBe('{"id":1,"result":"done","error":null}');
    expect(await post(`${body} `)).toBe(tooLarge);
  });

  it.each([
    ['announced', 'Content-Length: 4000', 'x'],
    ['chunked', 'Transfer-Encoding: chunked', `7d1\r\n${'x'.repeat(2_001)}`],
  ])('A4 answers a client that is still sending too much (%s), then closes', async (_, framing, part) => {
    const { port, post } = await setUp();
    const { socket, closed, until, text } = openSocket(port);
    socket.write(`POST /_admin/api HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${part}`);
    await until(/\r\n\r\n\{.*\}$/);
    expect(text()).toContain(tooLarge);
    expect(text()).toMatch(/^Connection: close\r$/m);
    // The rest of the body is drained; until then the connection stays open.
    expect(await post('[]')).toContain('missing');
    expect(socket.readyState).toBe('open');
    socket.write(framing.startsWith('Content') ? 'x'.repeat(3_999) : '\r\n0\r\n\r\n');
    await expect(closed).resolves.toBe(false);
  });

  it('A4 ends the connection of a client that never stops', async () => {
    const { port } = await setUp();
    const { socket, closed, text } = openSocket(port);
    socket.write('POST /_admin/api HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`;
    let sent = 0;
    const more = () => {
      sent += 1;
      if (socket.writable) socket.write(chunk, more);
    };
    more();
    await closed;
    expect(text()).toContain(tooLarge);
    // The 16 MiB that are discarded, and the bytes in the buffers of sockets.
    expect(sent).toBeLessThan(64);
  });

  it('A5 answers that the service is busy when incomplete bodies would take more memory than they may', async () => {
    const { port } = await setUp({ receiveBody: receiver(100_000, 100_000) });
    const head = 'POST /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: 95000\r\n\r\n';
    const open = () => {
      const opened = openSocket(port);
      opened.socket.write(head + 'x'.repeat(94_000));
      return opened;
    };
    const both = [open(), open()];
    const refused = await Promise.race(both.map((one) => one.until(/\r\n\r\n\{.*\}$/).then(() => one)));
    expect(refused.text()).toContain('{"id":null,"result":null,"error":"Service is busy, try again later"}');
    expect(refused.text()).toMatch(/^Connection: close\r$/m);
    for (const one of both) if (one !== refused) one.socket.write(' '.repeat(1_000));
    const [served] = both.filter((one) => one !== refused);
    await served?.until(/\r\n\r\n\{.*\}$/);
    expect(served?.text()).toContain('invalid JSON');
  });

  it('A5 authenticates the key of a long body once, before the rest of the body is there', async () => {
    const keys: unknown[] = [];
    let seen = () => {};
    const keySeen = new Promise<void>((resolve) => (seen = resolve));
    const { port } = await setUp({
      receiveBody: receiver(100_000, 100_000),
      authenticate: async (apiKey) => {
        keys.push(apiKey);
        seen();
        return { userId: 3, username: 'ann', admin: false, apiKeyId: 7, limitedTo: null };
      },
    });
    const { socket, until, text } = openSocket(port);
    const body = `{"id":1,"api_key":"good","method":"get_user","args":{"userid":"${'x'.repeat(90_000)}"}}`;
    socket.write(`POST /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    await keySeen;
    socket.write('}');
    await until(/\r\n\r\n\{.*\}$/);
    expect(text()).toContain('{"id":1,"result":"done","error":null}');
    expect(keys).toEqual(['good']);
  });

  it('A4 refuses a request with both Content-Length and Transfer-Encoding', async () => {
    const { port, commands } = await setUp();
    const { socket, closed, text } = openSocket(port);
    socket.write('POST /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}');
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 400 /);
    expect(commands).toEqual([]);
  });

  it('answers pipelined requests in their order', async () => {
    const { port } = await setUp();
    const { socket, closed, text } = openSocket(port);
    const request = (id: number, more: string) => {
      const body = `{"id":${id},"api_key":"good","method":"test","args":{}}`;
      return `POST /_admin/api HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    socket.write(request(1, '') + request(2, '') + request(3, 'Connection: close\r\n'));
    await closed;
    expect([...text().matchAll(/\{"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3']);
  });

  it('records no call of a client that disconnected while it sent its body', async () => {
    const { port, codes, post } = await setUp();
    const { socket, closed } = openSocket(port);
    socket.write('POST /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"id"', () =>
      socket.resetAndDestroy(),
    );
    await closed;
    await post('[]');
    expect(codes).toEqual(['invalid_request']);
  });

  it('shows no detail of an unexpected error', async () => {
    const { post, codes } = await setUp({
      dispatch: async () => {
        throw new Error('SECRET');
      },
    });
    expect(await post('{"id":1,"api_key":"good","method":"test","args":{}}')).toBe(
      '{"id":1,"result":null,"error":"Internal server error"}',
    );
    expect(codes).toEqual(['internal']);
  });
});
