import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientGone } from './client-gone.ts';
import { ClientGoneError } from './read-body.ts';

interface Pending {
  readonly signal: AbortSignal;
  readonly outgoing: ServerResponse;
}

const pending: Pending[] = [];
let arrived = () => {};
const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
  pending.push({ signal: clientGone({ incoming, outgoing }), outgoing });
  arrived();
});
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends pipelined requests on one connection, and waits until the server has all of them. */
async function send(count: number) {
  pending.length = 0;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const all = new Promise<void>((resolve) => (arrived = () => pending.length === count && resolve()));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  await all;
  return { socket, pending: [...pending] };
}

const aborted = (signal: AbortSignal) => (signal.aborted ? Promise.resolve() : once(signal, 'abort'));

it('D12 aborts for every request of a connection that its client closes', async () => {
  const { socket, pending: all } = await send(3);
  socket.destroy();
  await Promise.all(all.map(({ signal }) => aborted(signal)));
  for (const { signal } of all) expect(signal.reason).toBeInstanceOf(ClientGoneError);
});

it('does not abort for a request that was answered', async () => {
  const { socket, pending: all } = await send(2);
  const [first, second] = all;
  first?.outgoing.end('done');
  await once(socket, 'data');
  socket.destroy();
  if (second) await aborted(second.signal);
  expect(first?.signal.aborted).toBe(false);
});
