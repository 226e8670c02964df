import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { BodyTooLargeError } from '../http/read-body.ts';
import { openPush } from './open-push.ts';

/** Sends the beginning of a push; returns the request as a server has it. */
async function begin(length: number): Promise<IncomingMessage> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\nx`);
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  return incoming;
}

it('A5 F8 refuses a push that takes longer than it may', async () => {
  const push = openPush(await begin(1_000), { bytesMax: 2_000, msMax: 50 });
  onTestFinished(() => push.end());
  await expect(buffer(push.read())).rejects.toThrow('Request body arrives too slowly');
});

it('A4 refuses a push that says that it is too large before it is read', async () => {
  const incoming = await begin(2_001);
  expect(() => openPush(incoming, { bytesMax: 2_000, msMax: 600_000 })).toThrow(BodyTooLargeError);
});
