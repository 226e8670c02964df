import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { joinSockets } from './forward.ts';

let server: Server;

beforeAll(async () => {
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
});

/** Opens a connection and returns both of its sockets, the accepted one first. */
async function connectPair(): Promise<readonly [Socket, Socket]> {
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const far = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  return [await accepted, far];
}

it('bytes that are still buffered arrive after the other side has closed', async () => {
  const [client, clientEnd] = await connectPair();
  const [remote, remoteEnd] = await connectPair();
  joinSockets(client, remote);
  const bytes = 20_000_000;
  client.write(Buffer.alloc(bytes));
  clientEnd.end();
  remoteEnd.resume().end();
  await once(remote, 'close');
  expect((await buffer(clientEnd)).length).toBe(bytes);
});

it('a connection reset on one side destroys both sockets', async () => {
  const [client, clientEnd] = await connectPair();
  const [remote, remoteEnd] = await connectPair();
  joinSockets(client, remote);
  remoteEnd.resetAndDestroy();
  await once(clientEnd.resume().end(), 'close');
  expect([client.destroyed, remote.destroyed]).toEqual([true, true]);
});
