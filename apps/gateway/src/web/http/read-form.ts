import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';
import { readBody } from '../../http/read-body.ts';

const formType = 'application/x-www-form-urlencoded';

/** Reads the fields of a posted form. Throws InvalidRequestError for another content type or too large a body. */
export async function readForm(incoming: IncomingMessage, bytesMax: number): Promise<URLSearchParams> {
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== formType) throw new InvalidRequestError(`A form must be sent as ${formType}`);
  return new URLSearchParams((await readBody(incoming, bytesMax)).toString('utf8'));
}
