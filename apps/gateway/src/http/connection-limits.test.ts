import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { oneAtATime, waitingMax } from './connection-limits.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Starts a server and connects to it; the test answers the requests that the listener is given. */
async function setUp() {
  const handled: { readonly url: string; readonly outgoing: ServerResponse }[] = [];
  let onHandled = () => {};
  let arrived = 0;
  const listener = oneAtATime((incoming: IncomingMessage, outgoing: ServerResponse) => {
    handled.push({ url: incoming.url ?? '', outgoing });
    onHandled();
  });
  const server = createServer((incoming, outgoing) => {
    arrived += 1;
    listener(incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const open = (): Socket => {
    const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').on('error', () => {});
    cleanUps.push(() => socket.destroy());
    return socket;
  };
  cleanUps.push(() => server.close());
  const handledAre = (count: number) =>
    new Promise<void>((resolve) => {
      onHandled = () => handled.length >= count && resolve();
      onHandled();
    });
  return { server, open, handled, handledAre, arrived: () => arrived };
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

it('A5 handles the requests of a connection one after the other, and those of others beside them', async () => {
  const { open, handled, handledAre, arrived } = await setUp();
  open().write(`${ask('/1')}${ask('/2')}${ask('/3')}`);
  await handledAre(1);
  // The other connection is served although the first one has requests that wait.
  open().write(ask('/other'));
  await handledAre(2);
  expect(arrived()).toBe(4);
  expect(handled.map(({ url }) => url)).toEqual(['/1', '/other']);
  handled[0]?.outgoing.end();
  await handledAre(3);
  handled[2]?.outgoing.end();
  await handledAre(4);
  expect(handled.map(({ url }) => url)).toEqual(['/1', '/other', '/2', '/3']);
});

it('A5 closes a connection with too many requests that wait, and handles none of these', async () => {
  const { open, handled, handledAre } = await setUp();
  const socket = open();
  socket.write(ask('/').repeat(1 + waitingMax));
  await handledAre(1);
  socket.write(ask('/').repeat(2));
  await once(socket, 'close');
  handled[0]?.outgoing.end();
  const other = open();
  other.write(ask('/other'));
  await handledAre(2);
  expect(handled.map(({ url }) => url)).toEqual(['/', '/other']);
});

it('handles no request that waited on a connection which its client has closed', async () => {
  const { server, open, handled, handledAre } = await setUp();
  const connected = once(server, 'connection');
  const socket = open();
  socket.write(ask('/').repeat(3));
  await handledAre(1);
  const [accepted] = (await connected) as [Socket];
  const closed = once(accepted, 'close');
  socket.destroy();
  await closed;
  open().write(ask('/other'));
  await handledAre(2);
  expect(handled.map(({ url }) => url)).toEqual(['/', '/other']);
});
