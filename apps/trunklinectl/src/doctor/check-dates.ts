import type { X509Certificate } from 'node:crypto';
import type { Finding, findingsOf } from './finding.ts';
import type { Machine } from './machine.ts';

const dayMs = 86_400_000;
const daysUsual = 14;

type Findings = ReturnType<typeof findingsOf>;

/** Checks when a certificate is valid; `what` names it, and `renew` says what to do when it is not any more. */
export function checkDates(
  { ok, warning, failure }: Findings,
  what: string,
  { validFrom, validTo }: X509Certificate,
  renew: string,
  machine: Machine,
): Finding {
  const [from, to, now] = [Date.parse(validFrom), Date.parse(validTo), machine.now()];
  if (now > to) return failure(`${what} has expired (${validTo}).`, renew);
  if (now < from) return failure(`${what} is not valid yet (${validFrom}).`, 'Correct the clock.');
  if (to - now < daysUsual * dayMs) return warning(`${what} expires soon (${validTo}).`, renew);
  return ok(`${what} is valid until ${validTo}.`);
}
