import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BodyTooLargeError } from '../http/read-body.ts';
import { announcedTooLarge, discardPush, openPush } from './open-push.ts';

const limits = { bytesMax: 2_000, argsBytes: 0, msMax: 600_000, readsEarly: false };

const framing = (length: number) => `Content-Length: ${length}\r\n\r\nx`;
const chunked = (body: Buffer) => [`Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`, body];

/** Sends a push that begins so after its first lines; returns the request as a server has it. */
async function begin(...pieces: (string | Buffer)[]): Promise<IncomingMessage> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write('POST / HTTP/1.1\r\nHost: a\r\n');
  for (const piece of pieces) client.write(piece);
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  return incoming;
}

it('A5 F8 refuses a push that takes longer than it may', async () => {
  const push = openPush(await begin(framing(1_000)), { ...limits, msMax: 50 });
  onTestFinished(() => push.end());
  await expect(buffer(push.read())).rejects.toThrow('Request body arrives too slowly');
});

it('A4 refuses a push that says that it is too large before it is read', async () => {
  const limits = { bytesMax: 2_000, argsBytes: 10 };
  expect(announcedTooLarge(await begin(framing(2_010)), limits)).toBeNull();
  expect(announcedTooLarge(await begin(framing(2_011)), limits)?.message).toMatch(
    /^The push is larger than 2000 bytes: push fewer/,
  );
});

it('reads all of a push that is refused, in turns, and nothing of one that is too large', async () => {
  const refused = await begin(...chunked(Buffer.alloc(3_000_000)), '\r\n0\r\n\r\n');
  expect(refused.complete).toBe(false);
  const takeSlice = vi.fn<() => Promise<void>>(async () => {});
  await discardPush(refused, { ...limits, bytesMax: 3_000_000 }, takeSlice);
  expect(refused.complete).toBe(true);
  expect(takeSlice).toHaveBeenCalled();
  const large = await begin(framing(3_000_000));
  await discardPush(large, limits, takeSlice);
  expect(large.readableDidRead).toBe(false);
});

describe('a push that is too large', () => {
  const sent = Buffer.alloc(3_000_000);

  it('A4 is read no further than its worker needs to refuse it, when its client reads early', async () => {
    const push = openPush(await begin(...chunked(sent)), { ...limits, bytesMax: 100_000, readsEarly: true });
    onTestFinished(() => push.end());
    const pieces = push.read()[Symbol.asyncIterator]();
    let bytes = 0;
    while (bytes <= 100_000) bytes += (await pieces.next()).value?.length ?? Infinity;
    expect(bytes).toBeLessThan(300_000);
    const next = pieces.next();
    push.end();
    await expect(next).rejects.toThrow('The push is larger than 100000 bytes');
  });

  it('is refused by its bytes when its client reads late', async () => {
    const push = openPush(await begin(...chunked(sent)), { ...limits, bytesMax: 100_000 });
    onTestFinished(() => push.end());
    await expect(buffer(push.read())).rejects.toThrow(BodyTooLargeError);
  });
});
