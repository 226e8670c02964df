import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Random } from './random.ts';

export interface Spreader {
  readonly url: string;
  close(): Promise<void>;
}

/** Headers of one connection, which are not passed on. */
const ofConnection = new Set(['connection', 'keep-alive', 'expect']);

function passedOn(rawHeaders: readonly string[]): string[] {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, at) => rawHeaders.slice(2 * at, 2 * at + 2));
  return pairs.filter(([name = '']) => !ofConnection.has(name.toLowerCase())).flat();
}

function forward(to: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(to);
  const { method, url: path, rawHeaders } = incoming;
  const sent = request({ hostname, port, method, path, headers: passedOn(rawHeaders), agent: false });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  sent.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, passedOn(response.rawHeaders));
    // A response that breaks off breaks off for the client, too.
    pipeline(response, outgoing, () => {});
  });
  incoming.pipe(sent);
}

/** Starts a proxy that sends each request to one of several servers at random, whatever its connection. */
export async function spreadRequests(urls: readonly [string, ...string[]], random: Random): Promise<Spreader> {
  const server = createServer({ maxHeaderSize: 65_536, requestTimeout: 0 }, (incoming, outgoing) =>
    forward(random.pick(urls), incoming, outgoing),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async close() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}
