import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { InvalidRequestError } from '@trunkline/contracts';
import type { ReceiveBody } from '../../http/receive-body.ts';

const formType = 'application/x-www-form-urlencoded';

export interface FormTools {
  readonly receiveBody: ReceiveBody;
  readonly clientAddress: (incoming: IncomingMessage) => string;
}

/** Reads the fields of a posted form. Throws InvalidRequestError for another content type or too large a body. */
export async function receiveForm(incoming: IncomingMessage, tools: FormTools): Promise<URLSearchParams> {
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== formType) throw new InvalidRequestError(`A form must be sent as ${formType}`);
  const sender = { ip: tools.clientAddress(incoming) };
  return tools.receiveBody(incoming, sender, async (body) => new URLSearchParams(body.toString('utf8')));
}

/**
 * Returns whether a form may come from a page of this service. Browsers send the Origin header with a form; a program
 * that sends none has no other user's cookies.
 */
export function isSameOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, hosts: readonly string[]) {
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  return from !== '' && (from === host || hosts.includes(from));
}

/** Error of a form that carries no token of the visitor's session, or comes from elsewhere. */
export class FormRefusedError extends InvalidRequestError {
  /** The path of the page with the form; null when the form has no page of its own. */
  readonly page: string | null;

  constructor(page: string | null) {
    super(
      'The form was not sent from a page of your current session. Open the page again, and send the form from there.',
    );
    this.page = page;
  }
}
