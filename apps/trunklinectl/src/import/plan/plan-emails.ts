import { InvalidArgsError, methods, parseArgs } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import type { SourceUser } from '../source/source.ts';
import { freeName } from './plan-names.ts';
import type { Finding } from './finding.ts';

export interface PlannedEmails {
  readonly primary: string;
  readonly further: readonly string[];
}

/** Returns an address as it is stored; null for what is none. */
function parseEmail(email: string): string | null {
  try {
    return parseArgs(methods.create_user.args, { username: 'any', email }).email.address;
  } catch (error) {
    if (error instanceof InvalidArgsError) return null;
    throw error;
  }
}

/** Returns the addresses of a user; `taken` has the folded form of all addresses that others have. */
export function planEmails(
  { id, email, furtherEmails }: SourceUser,
  about: string,
  taken: Set<string>,
  findings: Finding[],
): PlannedEmails {
  const problemOf = (sent: string): string | undefined => {
    const address = parseEmail(sent);
    if (address === null) return `\`${sent}\` is no e-mail address`;
    return taken.has(foldCase(address)) ? `the e-mail address \`${sent}\` is taken` : undefined;
  };
  const take = (sent: string) => {
    const address = parseEmail(sent) ?? sent;
    taken.add(foldCase(address));
    return address;
  };
  const problem = email ? problemOf(email) : 'there is no e-mail address';
  const spare = () => freeName(`user-${id}`, (name) => taken.has(`${name}@localhost`));
  const primary = problem === undefined && email ? email : `${spare()}@localhost`;
  if (problem !== undefined) findings.push({ kind: 'replaced', about, what: problem, proposed: primary });
  const planned = { primary: take(primary), further: [] as string[] };
  for (const one of furtherEmails) {
    const why = problemOf(one);
    if (why === undefined) planned.further.push(take(one));
    else findings.push({ kind: 'left out', about, what: why });
  }
  return planned;
}
