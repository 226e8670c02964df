import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEgressGuard, type EgressGuard, type EgressSession } from './egress-guard.ts';

const remoteHost = '127.0.0.2';

let guard: EgressGuard;
let remote: Awaited<ReturnType<typeof startRemote>>;

async function startRemote() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => socket.destroy())));
  server.listen(0, remoteHost);
  await once(server, 'listening');
  const address = server.address();
  return {
    target: { host: remoteHost, port: typeof address === 'object' && address ? address.port : 0 },
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

beforeEach(async () => {
  const lookup = () => Promise.reject(new Error('ENOTFOUND'));
  guard = await startEgressGuard({ allowedRemotes: [remoteHost], lookup, idleTimeoutMs: 50 });
  remote = await startRemote();
});
afterEach(async () => {
  await guard.close();
  await remote.close();
});

const open = (only: { host: string; port: number } | null = null) => guard.open({ bytesMax: 100, only });
const fails = (session: EgressSession, target: { host: string; port: number }, message: string) =>
  expect(session.connect(target)).rejects.toThrow(message);

it('the failure is null while connections succeed', async () => {
  const session = open();
  expect(session.failure).toBeNull();
  await session.connect(remote.target);
  expect(session.failure).toBeNull();
});

it('the failure is "unreachable" after a failed connection, until a connection succeeds', async () => {
  const { target } = remote;
  const session = open();
  await fails(session, { host: 'no-such.example', port: 80 }, 'ENOTFOUND');
  expect(session.failure).toBe('unreachable');
  await session.connect(target);
  expect(session.failure).toBeNull();
  await fails(session, { host: remoteHost, port: 1 }, 'ECONNREFUSED');
  expect(session.failure).toBe('unreachable');
});

it('the failure is "timed out" after the idle timeout of a silent remote', async () => {
  const session = open();
  const socket = await session.connect(remote.target);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  expect(session.failure).toBe('timed out');
});

it('D7 the failure stays "address refused" after a connection that succeeds', async () => {
  const session = open();
  await fails(session, { host: '127.0.0.1', port: 80 }, 'is not allowed');
  await session.connect(remote.target);
  expect(session.failure).toBe('address refused');
  const bound = open(remote.target);
  await fails(bound, { host: remoteHost, port: 1 }, 'only the remote itself');
  expect(bound.failure).toBe('address refused');
});

it('D8 the failure is "too large" after more bytes than the limit', async () => {
  const session = open();
  const socket = await session.connect(remote.target);
  socket.on('error', () => {}).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  while (remote.sockets.length === 0) await new Promise(setImmediate);
  remote.sockets[0]?.write(Buffer.alloc(1_000));
  await closed;
  expect(session.failure).toBe('too large');
});
