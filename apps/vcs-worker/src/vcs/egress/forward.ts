import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Returns the raw headers of a message without hop-by-hop and Proxy-* headers; `alsoDropped` has lower-case names. */
function endToEndHeaders(message: IncomingMessage, alsoDropped: readonly string[] = []): string[] {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...hopByHop, ...named, ...alsoDropped]);
  const kept: string[] = [];
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = message.rawHeaders.slice(i, i + 2);
    const key = name.toLowerCase();
    if (!dropped.has(key) && !key.startsWith('proxy-')) kept.push(name, value);
  }
  return kept;
}

interface Destination {
  readonly url: URL;
  readonly remote: Socket;
  /** Called whenever the client does not read what the remote has sent. */
  readonly paused: () => void;
}

/** Sends a client's request over a connection to its remote and streams the answer back. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { url, remote, paused }: Destination,
): Promise<void> {
  const forwarded = httpRequest({
    createConnection: () => remote,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: requestHeaders(request, url),
  });
  response.once('close', () => forwarded.destroy());
  const answered = answerTo(forwarded);
  // The `Expect` header is not forwarded, so the guard itself asks the client for the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  request.pipe(forwarded);
  const answer = await answered;
  answer.on('pause', paused);
  response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
  await pipeline(answer, response);
}

// The Host header names the remote that was dialled, whatever Host the client sent.
function requestHeaders(request: IncomingMessage, url: URL): string[] {
  const chunked = request.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
  return ['Host', url.host, ...endToEndHeaders(request, ['host', 'expect']), ...chunked];
}

function answerTo(forwarded: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    forwarded.once('response', resolve);
    forwarded.on('error', reject);
    forwarded.once('close', () => {
      reject(new Error('remote closed the connection'));
    });
  });
}

/**
 * Pipes bytes both ways between two sockets, which must have `allowHalfOpen`: each direction ends independently. When
 * one socket has closed in order, the other still sends what is buffered; an error destroys both sockets.
 */
export function joinSockets(client: Socket, remote: Socket): void {
  joinOneWay(client, remote);
  joinOneWay(remote, client);
}

function joinOneWay(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => from.destroy());
  from.once('close', () => {
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
