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
