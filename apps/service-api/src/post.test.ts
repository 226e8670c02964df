import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { post } from './post.ts';

let server: Server;

async function serve(listener: RequestListener): Promise<URL> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('post', () => {
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
