import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

/** Error of a body beyond the limit; the rest of it is unread, so the response has to drain or close the connection. */
export class BodyTooLargeError extends InvalidRequestError {
  constructor(bytesMax: number) {
    super(`Request body is too large (limit ${bytesMax} bytes)`);
  }
}

/** Error of a connection that closed before the request was complete: no response is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Reads the whole body; throws BodyTooLargeError by Content-Length or the bytes received, and ClientGoneError. */
export function readBody(incoming: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = () => {
      incoming.off('data', take);
      incoming.pause();
      reject(new BodyTooLargeError(bytesMax));
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) refuse();
      else chunks.push(chunk);
    };
    incoming.on('error', (error) => reject(new ClientGoneError('the client closed the connection', { cause: error })));
    if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return refuse();
    incoming.on('data', take);
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
  });
}
