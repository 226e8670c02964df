import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BodyTooLargeError, ClientGoneError } from '../http/read-body.ts';
import { openBody, type BodyLimits } from './request-body.ts';

const limits: BodyLimits = {
  bytesMax: 1_000_000,
  ratioMax: 20,
  ratioFreeBytes: 10_000,
  msMax: 600_000,
  firstByteMsMax: 600_000,
  lowestRate: { bytes: 0, intervalMs: 600_000 },
};

/** Sends the head of a request and the beginning of its body; returns the request as a server has it. */
async function begin(headers: string, sent: string | Buffer) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
  client.write(sent);
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  return { client, incoming };
}

/** Reads the body of a request, within these limits. */
async function read(incoming: IncomingMessage, own: Partial<BodyLimits> = {}): Promise<string> {
  const { pieces, end } = openBody(incoming, { ...limits, ...own });
  onTestFinished(end);
  return (await buffer(pieces)).toString();
}

const withLength = (sent: Buffer, more = '') => [`Content-Length: ${sent.length}${more}`, sent] as const;
const gzipped = '\r\nContent-Encoding: gzip';

describe('openBody', () => {
  it.each([
    ['as it is', withLength(Buffer.from('want'))],
    ['compressed', withLength(gzipSync('want'), gzipped)],
    ['compressed in two members', withLength(Buffer.concat([gzipSync('wa'), gzipSync('nt')]), gzipped)],
    ['in chunks', ['Transfer-Encoding: chunked', '2\r\nwa\r\n2\r\nnt\r\n0\r\n\r\n'] as const],
  ])('returns a body that was sent %s', async (_how, [headers, sent]) => {
    const { incoming } = await begin(headers, sent);
    expect(await read(incoming)).toBe('want');
  });

  it('A4 refuses a body that is too large by its length before it is read, and by its bytes', async () => {
    const announced = await begin('Content-Length: 1000001', '');
    expect(() => openBody(announced.incoming, limits)).toThrow(BodyTooLargeError);
    const endless = await begin('Transfer-Encoding: chunked', '');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const send = () => void (endless.client.writable && endless.client.write(chunk, send));
    send();
    await expect(read(endless.incoming)).rejects.toThrow('Request body is too large (limit 1000000 bytes)');
    endless.client.destroy();
  });

  it.each([
    ['of much from little', Buffer.alloc(100_000)],
    [
      'of more than the limit',
      Buffer.from(Array.from({ length: 300_000 }, (_, at) => `${(at * 7_919) % 1_000_003} `).join('')),
    ],
  ])('A8 F10 refuses a compressed body %s', async (_what, content) => {
    const { incoming } = await begin(...withLength(gzipSync(content), gzipped));
    await expect(read(incoming)).rejects.toThrow(BodyTooLargeError);
  });

  it.each([
    ['another encoding', withLength(Buffer.from('x'), '\r\nContent-Encoding: br'), 'Content-Encoding is not supported'],
    ['an inherited name', withLength(Buffer.from('x'), '\r\nContent-Encoding: constructor'), 'Content-Encoding is not'],
    ['what is not gzip', withLength(Buffer.from('xxxxxxxx'), gzipped), 'Request body is not valid gzip'],
    ['gzip that is cut off', withLength(gzipSync('want').subarray(0, 15), gzipped), 'Request body is not valid gzip'],
  ])('refuses %s', async (_what, [headers, sent], text) => {
    const { incoming } = await begin(headers, sent);
    await expect(read(incoming)).rejects.toThrow(text);
  });

  it.each([
    ['stops', { lowestRate: { bytes: 100, intervalMs: 50 } }],
    ['takes too long in all', { msMax: 50 }],
  ])('A5 F8 refuses a body that %s', async (_what, own) => {
    const { incoming } = await begin('Content-Length: 1000', 'x');
    await expect(read(incoming, own)).rejects.toThrow('Request body arrives too slowly');
  });

  it('A5 F8 refuses a body that does not come, and no other for that', async () => {
    const own = { firstByteMsMax: 50 };
    const never = await begin('Content-Length: 1000', '');
    await expect(read(never.incoming, own)).rejects.toThrow('Request body has not arrived');
    const begun = await begin('Content-Length: 1000', 'x');
    await expect(read(begun.incoming, { ...own, msMax: 200 })).rejects.toThrow('Request body arrives too slowly');
    const empty = await begin('Content-Length: 0', '');
    expect(await read(empty.incoming, own)).toBe('');
  });

  it('A5 asks no rate of a client while nobody reads', async () => {
    const { incoming, client } = await begin('Transfer-Encoding: chunked', '1\r\nx\r\n');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { pieces, end } = openBody(incoming, { ...limits, lowestRate: { bytes: 100, intervalMs: 20 } });
    onTestFinished(end);
    const iterator = pieces[Symbol.asyncIterator]();
    await iterator.next();
    for (let interval = 0; interval < 5; interval += 1) {
      vi.advanceTimersByTime(20);
      await turn();
    }
    client.write('1\r\ny\r\n0\r\n\r\n');
    expect(String((await iterator.next()).value)).toBe('y');
  });

  it('throws ClientGoneError when the client leaves', async () => {
    const { client, incoming } = await begin('Content-Length: 1000', 'x');
    const outcome = read(incoming);
    client.destroy();
    await expect(outcome).rejects.toThrow(ClientGoneError);
  });
});
