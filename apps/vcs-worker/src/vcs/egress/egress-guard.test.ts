import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEgressGuard } from './egress-guard.ts';
import type { EgressGuardOptions, EgressSession } from './egress-guard.ts';

const remoteHost = '127.0.0.2';
const cleanups: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: Server, host = remoteHost, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(port, host);
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function serve(listener: RequestListener, host = remoteHost): Promise<number> {
  return listen(createServer(listener), host);
}

async function startGuard(names: Record<string, string[]> = {}, options: Partial<EgressGuardOptions> = {}) {
  const lookup = vi.fn((host: string) =>
    host in names ? Promise.resolve(names[host] ?? []) : Promise.reject(new Error(`ENOTFOUND ${host}`)),
  );
  const guard = await startEgressGuard({ allowedRemotes: [`${remoteHost}/32`], lookup, ...options });
  cleanups.push(() => guard.close());
  return { guard, lookup, session: guard.open({ bytesMax: 1e9 }) };
}

function basic(session: EgressSession, password = session.password): string {
  return `Basic ${Buffer.from(`${session.username}:${password}`).toString('base64')}`;
}

interface Sent {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

async function get(session: EgressSession, url: string, sent: Sent = {}): Promise<IncomingMessage> {
  const headers = { 'Proxy-Authorization': basic(session), Host: 'ignored.example', ...sent.headers };
  const { host, port } = session;
  const client = httpRequest({ host, port, path: url, method: sent.method ?? 'GET', headers, agent: false });
  return new Promise((resolve, reject) => {
    client.once('response', resolve).once('error', reject);
    if (sent.headers?.['Expect'] === undefined) client.end(sent.body);
    else client.once('continue', () => client.end(sent.body)).flushHeaders();
  });
}

async function openTunnel(session: EgressSession, target: string, authorization = basic(session)) {
  const client = connect({ host: session.host, port: session.port, allowHalfOpen: true });
  cleanups.push(() => {
    client.destroy();
  });
  client.on('error', () => client.destroy());
  client.write(`CONNECT ${target} HTTP/1.1\r\nProxy-Authorization: ${authorization}\r\n\r\nhello`);
  await once(client, 'readable');
  const head = String(client.read());
  return { client, head, status: Number(head.split(' ')[1]) };
}

describe('addresses', () => {
  it('D7 looks a name up once per request and dials the address that was checked', async () => {
    const port = await serve((_request, response) => response.end('remote'));
    const answers = [[remoteHost], ['127.0.0.1']];
    const lookup = vi.fn(() => Promise.resolve(answers.shift() ?? []));
    const { session } = await startGuard({}, { lookup });
    const first = await get(session, `http://flip.example:${port}/`);
    expect(await text(first)).toBe('remote');
    expect(lookup).toHaveBeenCalledTimes(1);
    expect((await get(session, `http://flip.example:${port}/`)).statusCode).toBe(403);
  });

  it.each([
    ['public and private', ['8.8.8.8', '10.0.0.1']],
    ['A and AAAA, one private', [remoteHost, '::1']],
    ['IPv4-mapped loopback', ['::ffff:127.0.0.1']],
  ])('D7 refuses a name with a private address among its answers: %s', async (_name, addresses) => {
    const { session } = await startGuard({ 'mixed.example': addresses });
    const answer = await get(session, 'http://mixed.example/');
    expect([answer.statusCode, await text(answer)]).toEqual([403, 'remote address is not allowed\n']);
    expect((await openTunnel(session, 'mixed.example:443')).status).toBe(403);
  });

  it('D6 D7 refuses every spelling of a private address, forwarded and tunnelled', async () => {
    const victimLog: string[] = [];
    const port = await serve((request, response) => {
      victimLog.push(request.url ?? '');
      response.end();
    }, '127.0.0.1');
    const { session } = await startGuard({ 'localhost.': ['127.0.0.1', '::1'], localhost: ['127.0.0.1'] });
    const hosts = ['127.0.0.1', '127.1', '0177.0.0.1', '0x7f.1', '2130706433', 'localhost', 'localhost.', '0.0.0.0']
      .concat(['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'])
      .concat(['169.254.169.254', '[fe80::1]', '10.0.0.1', '192.168.0.1', '%E2%91%A0%E2%91%A1%E2%91%A6.1']);
    for (const host of hosts) {
      const forwarded = await get(session, `http://${host}:${port}/`);
      const tunnel = await openTunnel(session, `${host}:${port}`);
      expect({ host, forwarded: forwarded.statusCode, tunnel: tunnel.status }).toEqual({
        host,
        forwarded: 403,
        tunnel: 403,
      });
    }
    expect(victimLog).toEqual([]);
  });

  it('refuses a connection to its own port even when loopback is allowed', async () => {
    const { session } = await startGuard({}, { allowedRemotes: ['127.0.0.0/8', '0.0.0.0/8', '::/64'] });
    for (const host of ['127.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]', '[::]']) {
      expect([host, (await get(session, `http://${host}:${session.port}/`)).statusCode]).toEqual([host, 403]);
      expect([host, (await openTunnel(session, `${host}:${session.port}`)).status]).toEqual([host, 403]);
    }
  });

  it('reaches a remote that has the same port at another address', async () => {
    const { session } = await startGuard();
    await listen(
      createServer((_request, response) => response.end('remote')),
      remoteHost,
      session.port,
    );
    expect((await get(session, `http://${remoteHost}:${session.port}/`)).statusCode).toBe(200);
  });

  it('answers 502 when a name does not resolve or has no address, or the port is closed', async () => {
    const { session } = await startGuard({ 'empty.example': [] });
    for (const host of ['unknown.example:80', 'empty.example:80', `${remoteHost}:1`]) {
      const forwarded = await get(session, `http://${host}/`);
      expect([host, forwarded.statusCode]).toEqual([host, 502]);
      expect([host, (await openTunnel(session, host)).status]).toEqual([host, 502]);
    }
  });

  it('D8 answers 502 after the connect timeout when the resolver never answers', async () => {
    const { session } = await startGuard({}, { lookup: () => new Promise(() => {}), connectTimeoutMs: 20 });
    expect((await get(session, 'http://slow.example/')).statusCode).toBe(502);
  });
});

describe('credentials', () => {
  it('answers 407 to credentials that are missing, wrong, of another session or of a closed session', async () => {
    const port = await serve((_request, response) => response.end('remote'));
    const { guard, session } = await startGuard();
    const closed = guard.open({ bytesMax: 1 });
    closed.close();
    const other = guard.open({ bytesMax: 1 });
    const values = ['', 'Basic', 'Bearer x', basic(session, 'wrong'), basic(closed), basic(session, other.password)];
    for (const value of values) {
      const answer = await get(session, `http://${remoteHost}:${port}/`, { headers: { 'Proxy-Authorization': value } });
      expect([value, answer.statusCode]).toEqual([value, 407]);
      expect(answer.headers['proxy-authenticate']).toBe('Basic realm="trunkline"');
      const tunnel = await openTunnel(session, `${remoteHost}:${port}`, value);
      expect(tunnel.head).toMatch(/^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/su);
    }
    expect((await get(session, `http://${remoteHost}:${port}/`)).statusCode).toBe(200);
  });
});

describe('forwarding', () => {
  it('sends end-to-end headers only, and the Host of the url', async () => {
    const seen: IncomingMessage[] = [];
    const port = await serve((request, response) => {
      seen.push(request);
      const headers = { Connection: 'close, X-Hop', 'X-Hop': '1', 'X-End': '2', 'Proxy-Authenticate': 'Basic' };
      response.writeHead(200, headers).end();
    });
    const { session } = await startGuard({ 'remote.example': [remoteHost] });
    const headers = {
      Connection: 'X-Private, Upgrade',
      Upgrade: 'h2c',
      'X-Private': '1',
      'X-Public': '2',
      TE: 'trailers',
    };
    const answer = await get(session, `http://remote.example:${port}/a%20b?c=d'`, { headers });
    expect(seen[0]?.url).toBe('/a%20b?c=d%27');
    expect(seen[0]?.headers).toEqual({ host: `remote.example:${port}`, 'x-public': '2', connection: 'close' });
    expect(seen[0]?.rawHeaders.filter((name) => name.toLowerCase() === 'host')).toHaveLength(1);
    expect(answer.headers['x-end']).toBe('2');
    expect(answer.headers).not.toHaveProperty('x-hop');
    expect(answer.headers).not.toHaveProperty('proxy-authenticate');
  });

  it.each([
    { 'Content-Length': '5' },
    { 'Transfer-Encoding': 'chunked' },
    { 'Content-Length': '5', Expect: '100-continue' },
  ])('carries a request body framed by %j', async (headers) => {
    const port = await serve((request, response) => void text(request).then((body) => response.end(`got ${body}`)));
    const { session } = await startGuard();
    const sent = { method: 'POST', headers, body: 'hello' };
    expect(await text(await get(session, `http://${remoteHost}:${port}/`, sent))).toBe('got hello');
  });

  it.each(['https://remote.example/', '/relative', 'ftp://remote.example/', 'http:///x'])(
    'answers 400 to %s',
    async (url) => {
      const { session } = await startGuard();
      expect((await get(session, url)).statusCode).toBe(400);
    },
  );

  it.each(['remote.example', 'a@remote.example:80', 'remote.example:80/x', ':80', 'remote.example:99999'])(
    'answers 400 to CONNECT %s',
    async (target) => {
      const { session } = await startGuard();
      expect((await openTunnel(session, target)).status).toBe(400);
    },
  );

  it('a tunnel carries bytes sent along with CONNECT, and the client may send after the remote has ended', async () => {
    const received: string[] = [];
    const port = await listen(
      createTcpServer({ allowHalfOpen: true }, (socket) => {
        socket.once('data', (chunk) => socket.end(`got ${String(chunk)}`));
        socket.on('data', (chunk) => received.push(String(chunk)));
        socket.on('end', () => received.push('end'));
      }),
    );
    const { session } = await startGuard();
    const { client } = await openTunnel(session, `${remoteHost}:${port}`);
    expect(String(await once(client, 'data'))).toBe('got hello');
    await once(client, 'end');
    client.end(' again');
    await vi.waitFor(
      () => {
        expect(received).toEqual(['hello', ' again', 'end']);
      },
      { timeout: 20_000 },
    );
  });

  it('answers 502 when the remote does not speak HTTP, and aborts an answer that the remote breaks off', async () => {
    const garbage = await listen(createTcpServer((socket) => socket.end('not http at all\r\n\r\n')));
    const broken = await listen(
      createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort')),
    );
    const upgrading = await listen(
      createTcpServer((socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    );
    const { session } = await startGuard();
    expect((await get(session, `http://${remoteHost}:${garbage}/`)).statusCode).toBe(502);
    expect((await get(session, `http://${remoteHost}:${upgrading}/`)).statusCode).toBe(502);
    const answer = await get(session, `http://${remoteHost}:${broken}/`);
    await expect(text(answer)).rejects.toThrow('aborted');
  });
});
