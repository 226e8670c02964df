import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

/** The body exceeds the limit. Its rest has not been read, and the response has to drain or close the connection. */
export class BodyTooLargeError extends InvalidRequestError {
  constructor(bytesMax: number) {
    super(`Request body is too large (limit ${bytesMax} bytes)`);
  }
}

/** The connection closed before the request was complete: no response is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Reads the whole body and counts its bytes on the stream, whatever Content-Length says. */
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
    incoming.on('error', (error) => reject(new ClientGoneError('the client has gone', { cause: error })));
    if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return refuse();
    incoming.on('data', take);
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
  });
}
