import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

/** The rest of the body has not been read: who answers must see to it. */
export class BodyTooLargeError extends InvalidRequestError {
  constructor(bytesMax: number) {
    super(`Request body is too large (limit ${bytesMax} bytes)`);
  }
}

/** The connection ended before the request did: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** The whole body, counted as it comes: a length that was announced or left out proves nothing. */
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
