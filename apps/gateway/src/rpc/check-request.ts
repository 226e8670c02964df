import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

/**
 * Throws InvalidRequestError for a content encoding, a verb other than POST or an empty body. The content type is
 * ignored: clients send text/plain.
 */
export function checkRequest({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, body: Uint8Array): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new InvalidRequestError('Content-Encoding is not supported');
  if (method !== 'POST') throw new InvalidRequestError('Only POST is supported');
  if (body.length === 0) throw new InvalidRequestError('Content-Length is 0');
}
