import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { openDataPort, piecesOf } from './testing/open-data-port.ts';

const answering = async () => ({ body: piecesOf('bytes') });

it('A11 an error in what follows a transfer ends its connection alone, and is logged', async () => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  const { client, requestId, offer } = await openDataPort({ logger });
  const failure = new Error('thrown by the test');
  const ended = () => {
    throw failure;
  };
  const read = async () => text((await client.transfer(offer(answering, { ended }), requestId)).body);
  // The bytes may have come before the connection ends.
  await read().catch(() => null);
  const logged = () => expect(logger.warn).toHaveBeenCalledWith({ err: failure }, 'transfer was cut off');
  await vi.waitFor(logged, { timeout: 20_000 });
  // The client may not have seen yet that its connection was closed.
  const readAgain = async () => text((await client.transfer(offer(answering), requestId)).body);
  expect(await readAgain().catch(readAgain)).toBe('bytes');
});

it('A11 an answer that Node.js refuses to send is one that was cut off, and is logged', async () => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  const { client, requestId, offer } = await openDataPort({ logger });
  const headers = { 'X-Text': 'プロジェクト' };
  const made = offer(async () => ({ headers, body: piecesOf('bytes') }));
  const read = async () => text((await client.transfer(made, requestId)).body);
  await expect(read()).rejects.toMatchObject({ reason: 'cut' });
  expect(logger.warn).toHaveBeenCalledWith(
    { err: expect.objectContaining({ code: 'ERR_INVALID_CHAR' }) },
    'transfer was cut off',
  );
});

it.each([
  ['a request to upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an unknown expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n'],
  ['no HTTP', '\x16\x03\x01\x02\0'],
  ['headers that are too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
])('A11 a client that sends %s and goes ends its connection alone', async (_what, bytes) => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  const { client, requestId, offer } = await openDataPort({ logger });
  const { port } = new URL(offer(answering).address);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  socket.write(bytes, 'latin1');
  await new Promise<unknown>((resolve) => socket.once('data', resolve).once('close', resolve));
  socket.resetAndDestroy();
  expect(await text((await client.transfer(offer(answering), requestId)).body)).toBe('bytes');
  expect(logger.warn).not.toHaveBeenCalled();
});
