import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { startEgressGuard } from './egress-guard.ts';
import type { EgressGuardOptions, EgressSession } from './egress-guard.ts';

const remoteHost = '127.0.0.2';
const oneChunk = Buffer.alloc(64 * 1024, 'x');
const cleanups: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Starts a remote that passes each accepted connection to `talk`. */
async function startRemote(talk: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    cleanups.push(() => {
      socket.destroy();
    });
    talk(socket);
  });
  server.listen(0, remoteHost);
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, server };
}

/** Writes without end after the first bytes received, and counts in `sent` the bytes that the peer has accepted. */
function flood(sent: { bytes: number }, head = ''): (socket: Socket) => void {
  return (socket) => {
    const push = () => {
      while (!socket.destroyed && socket.write(oneChunk, () => (sent.bytes += oneChunk.length)));
    };
    socket.on('drain', push);
    socket.once('data', () => {
      socket.write(head);
      push();
    });
  };
}

async function startGuard(options: Partial<EgressGuardOptions> = {}) {
  const guard = await startEgressGuard({ allowedRemotes: [remoteHost], ...options });
  cleanups.push(() => guard.close());
  return guard;
}

async function openTunnel(session: EgressSession, port: number): Promise<Socket> {
  const credentials = Buffer.from(`${session.username}:${session.password}`).toString('base64');
  const headers = { 'Proxy-Authorization': `Basic ${credentials}` };
  const request = httpRequest({
    host: session.host,
    port: session.port,
    method: 'CONNECT',
    path: `${remoteHost}:${port}`,
    headers,
  });
  request.end();
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('connect', (_response, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      cleanups.push(() => {
        socket.destroy();
      });
      resolve(socket);
    });
  });
}

/** Sends a GET to be forwarded, on a bare socket, so that the test decides when the answer is read. */
function sendGet(session: EgressSession, port: number): Socket {
  const credentials = Buffer.from(`${session.username}:${session.password}`).toString('base64');
  const socket = connect(session.port, session.host);
  socket.on('error', () => socket.destroy());
  socket.write(
    `GET http://${remoteHost}:${port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  );
  cleanups.push(() => {
    socket.destroy();
  });
  return socket;
}

async function settled(sent: { bytes: number }): Promise<number> {
  let before = -1;
  while (before !== sent.bytes || sent.bytes === 0) {
    before = sent.bytes;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return before;
}

const endlessAnswer = 'HTTP/1.1 200 OK\r\n\r\n';

it('D8 a tunnel is cut at the byte limit, and the session answers further requests with 403', async () => {
  const { port } = await startRemote(flood({ bytes: 0 }));
  const session = (await startGuard()).open({ bytesMax: 1_000_000 });
  const tunnel = await openTunnel(session, port);
  tunnel.write('go');
  tunnel.resume();
  await once(tunnel, 'close');
  expect(session.bytesReceived).toBeGreaterThan(1_000_000);
  expect(session.bytesReceived).toBeLessThan(1_200_000);
  const answer = await buffer(
    sendGet(session, port)
      .on('data', () => {})
      .end(),
  );
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 .*transfer limit reached/su);
});

it('D8 a forwarded answer over the byte limit is cut', async () => {
  const { port } = await startRemote(flood({ bytes: 0 }, endlessAnswer));
  const session = (await startGuard()).open({ bytesMax: 1_000_000 });
  const client = sendGet(session, port).resume();
  await once(client, 'close');
  expect(session.bytesReceived).toBeGreaterThan(1_000_000);
  expect(session.bytesReceived).toBeLessThan(1_200_000);
});

it('D8 a client that does not read stops the remote by backpressure, forwarded and tunnelled', async () => {
  const sent = { bytes: 0 };
  const { port } = await startRemote(flood(sent, endlessAnswer));
  const session = (await startGuard()).open({ bytesMax: 1e12 });
  const client = sendGet(session, port).pause();
  const forwarded = await settled(sent);
  client.destroy();
  (await openTunnel(session, port)).pause().write('go');
  const tunnelled = (await settled(sent)) - forwarded;
  // Bytes in flight fill at most the buffers of four kernel sockets and 16 KB in each stream.
  expect(Math.max(forwarded, tunnelled)).toBeLessThan(32e6);
  expect(session.bytesReceived).toBeLessThan(32e6);
});

it('D8 a remote that does not read stops the client by backpressure', async () => {
  const { port } = await startRemote((socket) => socket.pause());
  const session = (await startGuard()).open({ bytesMax: 1 });
  const sent = { bytes: 0 };
  const tunnel = await openTunnel(session, port);
  const push = () => {
    while (tunnel.write(oneChunk, () => (sent.bytes += oneChunk.length)));
  };
  tunnel.on('drain', push);
  push();
  expect(await settled(sent)).toBeLessThan(32e6);
});

it('D8 closes the connection to a silent remote after the idle timeout', async () => {
  const { port } = await startRemote(() => {});
  const session = (await startGuard({ idleTimeoutMs: 50 })).open({ bytesMax: 1 });
  expect(String(await once(sendGet(session, port), 'data'))).toMatch(/^HTTP\/1\.1 502 /u);
  const tunnel = await openTunnel(session, port);
  await once(tunnel, 'close');
});

it('closing a session closes its connections on both sides, and those of no other session', async () => {
  const remotes: Socket[] = [];
  const { port } = await startRemote((socket) => {
    remotes.push(socket);
    socket.on('data', (chunk) => socket.write(chunk));
  });
  const guard = await startGuard();
  const [closing, staying] = [guard.open({ bytesMax: 100 }), guard.open({ bytesMax: 100 })];
  const doomed = await openTunnel(closing, port);
  const other = await openTunnel(staying, port);
  closing.close();
  doomed.resume();
  await once(doomed, 'close');
  const [first] = remotes;
  if (first !== undefined && !first.destroyed) await once(first.resume().end(), 'close');
  other.write('still here');
  expect(String(await once(other, 'data'))).toBe('still here');
});

it('a client that disconnects ends its connection to the remote', async () => {
  const { port, server } = await startRemote((socket) => socket.resume());
  const session = (await startGuard()).open({ bytesMax: 100 });
  const client = sendGet(session, port);
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const remote = await accepted;
  client.destroy();
  await once(remote, 'end');
  expect(remote.readableEnded).toBe(true);
});

it('each direction of a tunnel ends independently, and no bytes are lost', async () => {
  const bytes = 20 * oneChunk.length;
  const { port } = await startRemote((socket) => {
    socket.resume().once('end', () => {
      for (let i = 0; i < 20; i += 1) socket.write(oneChunk);
      socket.end();
    });
  });
  const session = (await startGuard()).open({ bytesMax: 1e9 });
  const tunnel = await openTunnel(session, port);
  tunnel.end('request');
  expect((await buffer(tunnel)).length).toBe(bytes);
  expect(session.bytesReceived).toBe(bytes);
});

it('closing the guard ends every session and closes the port', async () => {
  const { port } = await startRemote(() => {});
  const guard = await startEgressGuard({ allowedRemotes: [remoteHost] });
  const session = guard.open({ bytesMax: 100 });
  const tunnel = await openTunnel(session, port);
  await Promise.all([guard.close(), once(tunnel.resume(), 'close')]);
  const late = connect(session.port, session.host);
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
});
