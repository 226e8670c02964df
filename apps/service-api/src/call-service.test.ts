import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { post, readReply } from './call-service.ts';

describe('readReply', () => {
  it('reads results and errors', () => {
    expect(readReply('{"id":7,"result":[1],"error":null}', 7)).toEqual({ result: [1], error: null });
    expect(readReply('{"id":7,"result":null,"error":"no"}\n', 7)).toEqual({ result: null, error: 'no' });
  });

  it('accepts an error with the id null, as for a body that could not be read', () => {
    expect(readReply('{"id":null,"result":null,"error":"too large"}', 7)).toMatchObject({ error: 'too large' });
  });

  it.each([
    ['', 'nothing'],
    ['<html>', 'a page'],
    ['null', 'null'],
    ['[]', 'a list'],
    ['"text"', 'a string'],
    ['{"id":7,"result":1}', 'no error member'],
    ['{"id":7,"error":null}', 'no result member'],
    ['{"result":1,"error":null}', 'no id'],
    ['{"id":7,"result":null,"error":{"code":1}}', 'an error that is no text'],
    ['{"id":8,"result":1,"error":null}', 'the reply to another call'],
    ['{"id":"7","result":1,"error":null}', 'an id of another type'],
    ['{"id":null,"result":1,"error":null}', 'a result without an id'],
  ])('returns undefined for %s (%s)', (text) => {
    expect(readReply(text, 7)).toBeUndefined();
  });
});

let server: Server;

async function serve(listener: RequestListener): Promise<URL> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
}

describe('post', () => {
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('returns status and body, also with a character that is split between two chunks', async () => {
    const bytes = Buffer.from('é'.repeat(3));
    const url = await serve((_request, response) => {
      response.writeHead(418);
      response.write(bytes.subarray(0, 3), () => response.end(bytes.subarray(3)));
    });
    expect(await post(url, '', 60_000)).toEqual({ status: 418, body: 'ééé' });
  });

  it('times out when a server sends no response', async () => {
    const url = await serve(() => {});
    await expect(post(url, 'x', 20)).rejects.toThrow('no answer in time');
  });

  it('times out when a server stops in the middle of its response', async () => {
    const url = await serve((_request, response) => void response.write('{"id"'));
    await expect(post(url, 'x', 20)).rejects.toThrow('no answer in time');
  });

  it('throws when a response is cut off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': 10 });
      response.write('{}', () => response.destroy());
    });
    await expect(post(url, 'x', 60_000)).rejects.toThrow('aborted');
  });
});
