import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { endToEndHeaders } from './end-to-end-headers.ts';

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
