import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BusError, type IncomingStream } from '@trunkline/runtime';
import { afterEach, assert, describe, expect, it } from 'vitest';
import { sendStream, type SentStream } from './send-stream.ts';

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A stream that the test feeds with `stream.push`. */
function transferOf(length: number | null): IncomingStream {
  const stream = new Readable({ read() {} });
  stream.on('error', () => {});
  return { length, stream, handedOn: () => 0 };
}

/** A server that answers with this stream, and the client's response; `sent` is the outcome of sending. */
async function setUp(
  transfer: IncomingStream,
  before: (outgoing: ServerResponse) => Promise<unknown> = async () => {},
) {
  let report: (sent: SentStream) => void = () => {};
  const sent = new Promise<SentStream>((resolve) => (report = resolve));
  const server = createServer((_, outgoing) => {
    void before(outgoing)
      .then(() => sendStream(outgoing, '1.0', transfer, { 'X-Test': 'yes' }))
      .then(report);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUps.push(() => server.close().closeAllConnections());
  const address = server.address();
  const request = get({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : undefined });
  request.on('error', () => {});
  const response = once(request, 'response').then(([response]: IncomingMessage[]) => {
    assert(response);
    return response;
  });
  return { request, response, sent };
}

describe('sendStream', () => {
  it.each([
    [8, { 'content-length': '41', 'x-test': 'yes' }],
    [null, { 'transfer-encoding': 'chunked', 'x-test': 'yes' }],
  ])('puts a result of length %s between id and error as it comes', async (length, headers) => {
    const transfer = transferOf(length);
    const { response, sent } = await setUp(transfer);
    transfer.stream.push('"a');
    const incoming = await response;
    transfer.stream.push('bcdef"');
    transfer.stream.push(null);
    expect(await text(incoming)).toBe('{"id":1.0,"result":"abcdef","error":null}');
    expect(incoming.headers).toMatchObject(headers);
    expect(await sent).toEqual({ bytes: 33, error: null });
  });

  it('closes the connection when the rest does not arrive', async () => {
    const transfer = transferOf(1_000);
    const { response, sent } = await setUp(transfer);
    transfer.stream.push('"a');
    const incoming = await response;
    transfer.stream.destroy(new BusError('timeout'));
    await expect(text(incoming)).rejects.toThrow('aborted');
    expect((await sent).error?.code).toBe('unavailable');
  });

  it('closes the connection of a client that does not read, too', async () => {
    const transfer = transferOf(64_000_000);
    const { response, sent } = await setUp(transfer);
    transfer.stream.push(Buffer.alloc(32_000_000));
    const incoming = await response;
    transfer.stream.destroy(new BusError('lost'));
    expect((await sent).error?.code).toBe('unavailable');
    await expect(text(incoming)).rejects.toThrow('aborted');
  });

  it('cancels the stream at once when the client disconnects', async () => {
    const transfer = transferOf(1_000);
    const { request, response, sent } = await setUp(transfer);
    transfer.stream.push('"a');
    await response;
    request.destroy();
    expect((await sent).error).toBeNull();
    expect(transfer.stream.destroyed).toBe(true);
  });

  it('cancels the stream when the client disconnected before it began', async () => {
    const transfer = transferOf(1_000);
    let arrive: () => void = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { request, response, sent } = await setUp(transfer, (outgoing) => {
      arrive();
      return once(outgoing, 'close');
    });
    response.catch(() => {});
    await arrived;
    request.destroy();
    expect((await sent).error).toBeNull();
    expect(transfer.stream.destroyed).toBe(true);
  });
});
