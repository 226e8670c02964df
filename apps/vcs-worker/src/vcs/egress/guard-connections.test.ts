import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { startEgressGuard } from './egress-guard.ts';
import type { EgressGuardOptions, EgressSession } from './egress-guard.ts';

const remoteHost = '127.0.0.2';
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openSession(options: Partial<EgressGuardOptions> = {}) {
  const guard = await startEgressGuard({ allowedRemotes: [remoteHost], ...options });
  cleanups.push(() => guard.close());
  return guard.open({ bytesMax: 1e9 });
}

/** Connects to the guard, as any process of the machine can, and sends some text. */
function send({ host, port }: EgressSession, text: string): Socket {
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.on('error', () => socket.destroy());
  cleanups.push(() => socket.destroy());
  if (text !== '') socket.write(text);
  return socket;
}

/** Resolves to true when the guard has closed a connection, in order or not. */
function closed(socket: Socket): Promise<true> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close']) socket.resume().once(event, () => resolve(true));
  });
}

function authorization({ username, password }: EgressSession): string {
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
}

/** Starts a remote that answers each request with the number of connections it had so far, and keeps them all. */
async function startRemote(): Promise<number> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    cleanups.push(() => socket.destroy());
    const body = String(connections);
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.on('error', () => socket.destroy()).on('data', () => socket.write(answer));
  });
  server.listen(0, remoteHost);
  await once(server, 'listening');
  cleanups.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it.each([
  ['says nothing', ''],
  ['does not end the head of its request', 'CONNECT 127.0.0.2:80 HTTP/1.1\r\nProxy-Auth'],
])('A5 a connection that %s is closed', async (_what, text) => {
  expect(await closed(send(await openSession({ headMs: 50 }), text))).toBe(true);
});

it('A5 a connection that sends the head of its request byte by byte is closed', async () => {
  const client = send(await openSession({ headMs: 50 }), 'G');
  const dripping = setInterval(() => client.write('E'), 10);
  cleanups.push(() => clearInterval(dripping));
  expect(await closed(client)).toBe(true);
});

it('A5 a connection that has ended its side before a request is closed', async () => {
  expect(await closed(send(await openSession(), 'CONNECT').end())).toBe(true);
});

it.each([
  ['a request', 'GET http://127.0.0.2/ HTTP/1.1\r\nHost: x\r\n\r\n', 407],
  ['a request whose body never comes', 'POST http://127.0.0.2/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n', 407],
  ['an expectation', 'POST http://127.0.0.2/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: x\r\n\r\n', 407],
  ['a tunnel', 'CONNECT 127.0.0.2:80 HTTP/1.1\r\nHost: x\r\n\r\n', 407],
])('A5 a connection that asks for %s without credentials is closed after the answer', async (_what, text, status) => {
  const client = send(await openSession(), text);
  expect((await buffer(client)).toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
});

it('A5 connections without a request give way to the next ones, which are served', async () => {
  const session = await openSession();
  const port = await startRemote();
  const silent = Array.from({ length: 300 }, () => send(session, ''));
  await closed(silent[0] ?? send(session, ''));
  const request = `GET http://${remoteHost}:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization(session)}\r\n`;
  const served = send(session, request);
  expect(String(await once(served, 'data'))).toMatch(/^HTTP\/1\.1 200 /u);
  const further = Array.from({ length: 300 }, () => send(session, ''));
  await closed(further[0] ?? send(session, ''));
  served.write(request);
  expect(String(await once(served, 'data'))).toMatch(/^HTTP\/1\.1 200 /u);
});

it('A5 a session has a bounded number of connections, also by requests that are pipelined', async () => {
  const session = await openSession();
  const port = await startRemote();
  const head = `CONNECT ${remoteHost}:${port} HTTP/1.1\r\n${authorization(session)}\r\n`;
  const answers = await Promise.all(
    Array.from({ length: 80 }, async () => String(await once(send(session, head), 'data')).slice(9, 12)),
  );
  expect(answers.filter((status) => status === '502').length).toBeGreaterThan(0);
  expect(answers.filter((status) => status === '200').length).toBe(32);

  const other = await openSession();
  const get = `GET http://${remoteHost}:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization(other)}\r\n`;
  const client = send(other, get.repeat(200) + get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  expect((await buffer(client)).toString().match(/^HTTP\/1\.1 502 /gmu)?.length).toBeGreaterThan(100);
});
