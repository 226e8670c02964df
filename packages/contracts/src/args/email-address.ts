import * as v from 'valibot';
import { text } from './text.ts';

export interface EmailAddress {
  /** The argument as the client sent it, for error texts such as "already exist". */
  readonly sent: string;
  /** The address as it is stored, in lower case. */
  readonly address: string;
}

const charsMax = 254;

export const emailAddress: v.GenericSchema<unknown, EmailAddress> = v.pipe(
  text(charsMax),
  v.check((sent) => /^[^\s@]+@[^\s@]+$/.test(sent.trim()), 'must be an e-mail address'),
  v.transform((sent) => ({ sent, address: sent.trim().toLowerCase() })),
);
