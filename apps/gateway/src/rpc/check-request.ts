import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';

/** What is refused before a byte of the body is looked at; its type never matters, clients send text/plain. */
export function checkRequest({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, body: Uint8Array): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new InvalidRequestError('Content-Encoding is not supported');
  if (method !== 'POST') throw new InvalidRequestError('Only POST is supported');
  if (body.length === 0) throw new InvalidRequestError('Content-Length is 0');
}
