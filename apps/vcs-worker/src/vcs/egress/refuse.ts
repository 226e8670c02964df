import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { EgressError } from './egress-error.ts';

/** Answers a forwarded request with an error, or destroys the response when its headers have been sent. */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, text, headers } = toAnswer(error);
  // A client that has sent `Expect` may or may not send its body after this answer, so the connection cannot be reused.
  // One without credentials may be any process of the machine, which is not to hold a connection.
  if (request.headers.expect !== undefined || status === 407) headers['Connection'] = 'close';
  response.writeHead(status, headers);
  response.end(text);
}

/** Answers a CONNECT request with an error. */
export function refuseTunnel(client: Socket, error: unknown): void {
  const { status, text, headers } = toAnswer(error);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
  client.destroySoon();
}

function toAnswer(error: unknown): { status: number; text: string; headers: Record<string, string> } {
  const { status, message } = error instanceof EgressError ? error : new EgressError(502, 'remote is unreachable');
  const text = `${message}\n`;
  const headers: Record<string, string> = { 'Content-Type': 'text/plain', 'Content-Length': String(text.length) };
  if (status === 407) headers['Proxy-Authenticate'] = 'Basic realm="trunkline"';
  return { status, text, headers };
}
