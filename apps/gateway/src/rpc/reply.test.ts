import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { NotFoundError } from '@trunkline/contracts';
import { afterEach, assert, describe, expect, it } from 'vitest';
import { BusError, type LargeAnswer } from '@trunkline/runtime';
import { errorReply, resultReply, sendStream, type SentStream } from './reply.ts';

describe('resultReply', () => {
  it('A3 copies id and result byte for byte', () => {
    const reply = resultReply('12345678901234567890', Buffer.from('{"a":1.0,"é":"\u2028"}'));
    expect(reply.toString()).toBe('{"id":12345678901234567890,"result":{"a":1.0,"é":"\u2028"},"error":null}');
  });
});

describe('errorReply', () => {
  it('is one line of JSON for any error text', () => {
    const text = 'user `a"\n\ud800\u0000` does not exist';
    const reply = errorReply('"x"', new NotFoundError(text)).toString();
    expect(reply).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(reply)).toEqual({ id: 'x', result: null, error: text });
  });

  it('has the message of an error alone, without its cause and details', () => {
    const error = new NotFoundError('text', { cause: new Error('SECRET'), details: { a: 'SECRET' } });
    expect(errorReply('null', error).toString()).toBe('{"id":null,"result":null,"error":"text"}');
  });
});

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Creates a stream that the test feeds with `stream.push`. */
function answerOf(length: number | null): LargeAnswer {
  const stream = new Readable({ read() {} });
  stream.on('error', () => {});
  return { length, stream };
}

/** Starts a server that responds with this stream, and requests it; `sent` is the result of `sendStream`. */
async function setUp(answer: LargeAnswer, before: (outgoing: ServerResponse) => Promise<unknown> = async () => {}) {
  let report: (sent: SentStream) => void = () => {};
  const sent = new Promise<SentStream>((resolve) => (report = resolve));
  const server = createServer((_, outgoing) => {
    void before(outgoing)
      .then(() => sendStream(outgoing, '1.0', answer, { 'X-Test': 'yes' }))
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
  ])('sends a result of length %s in pieces between id and error', async (length, headers) => {
    const answer = answerOf(length);
    const { response, sent } = await setUp(answer);
    answer.stream.push('"a');
    const incoming = await response;
    answer.stream.push('bcdef"');
    answer.stream.push(null);
    expect(await text(incoming)).toBe('{"id":1.0,"result":"abcdef","error":null}');
    expect(incoming.headers).toMatchObject(headers);
    expect(await sent).toEqual({ bytes: 41, error: null });
  });

  it('destroys the connection when the stream fails', async () => {
    const answer = answerOf(1_000);
    const { response, sent } = await setUp(answer);
    answer.stream.push('"a');
    const incoming = await response;
    answer.stream.destroy(new BusError('timeout'));
    await expect(text(incoming)).rejects.toThrow('aborted');
    expect((await sent).error?.code).toBe('unavailable');
  });

  it('destroys the connection when the stream fails while the client does not read', async () => {
    const answer = answerOf(64_000_000);
    const { response, sent } = await setUp(answer);
    answer.stream.push(Buffer.alloc(32_000_000));
    const incoming = await response;
    answer.stream.destroy(new BusError('lost'));
    expect((await sent).error?.code).toBe('unavailable');
    await expect(text(incoming)).rejects.toThrow('aborted');
  });

  it('cancels the stream at once when the client disconnects', async () => {
    const answer = answerOf(1_000);
    const { request, response, sent } = await setUp(answer);
    answer.stream.push('"a');
    await response;
    request.destroy();
    expect((await sent).error).toBeNull();
    expect(answer.stream.destroyed).toBe(true);
  });

  it('cancels the stream when the client disconnected before it began', async () => {
    const answer = answerOf(1_000);
    let arrive: () => void = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { request, response, sent } = await setUp(answer, (outgoing) => {
      arrive();
      return once(outgoing, 'close');
    });
    response.catch(() => {});
    await arrived;
    request.destroy();
    expect((await sent).error).toBeNull();
    expect(answer.stream.destroyed).toBe(true);
  });
});
