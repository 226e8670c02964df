import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';
import type { ReceiveBody } from '../../http/receive-body.ts';

const formType = 'application/x-www-form-urlencoded';

export interface FormTools {
  readonly receiveBody: ReceiveBody;
  readonly clientAddress: (incoming: IncomingMessage) => string;
}

/** Reads the fields of a posted form. Throws InvalidRequestError for another content type or too large a body. */
export async function readForm(incoming: IncomingMessage, tools: FormTools): Promise<URLSearchParams> {
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== formType) throw new InvalidRequestError(`A form must be sent as ${formType}`);
  const sender = { ip: tools.clientAddress(incoming) };
  return tools.receiveBody(incoming, sender, async (body) => new URLSearchParams(body.toString('utf8')));
}
