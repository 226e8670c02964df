import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { X509Certificate } from 'node:crypto';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { Finding, findingsOf, Machine } from './check.ts';

const answerMsMax = 5_000;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Connects to a server, has `act` use the connection, and closes it; within five seconds in all. */
export async function withServer<T>(address: Address, act: (socket: Socket) => Promise<T>): Promise<T> {
  const socket = connect(address);
  // Without a listener, an error after the time limit would end the process.
  socket.on('error', () => {});
  const connectAndAct = async () => {
    await once(socket, 'connect');
    return act(socket);
  };
  try {
    return await withTimeout(connectAndAct(), answerMsMax, () => {
      throw new Error('there was no answer in time');
    });
  } finally {
    socket.destroy();
  }
}

export interface Peer {
  readonly certificate: X509Certificate;
  /** Why a client would refuse the certificate; null when it would not. */
  readonly problem: string | null;
}

/** Upgrades a connection to TLS, and returns the certificate of the server. Nothing is to be sent to it: it may be anybody. */
export async function peerOf(socket: Socket, host: string, ca: string | null): Promise<Peer> {
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
    rejectUnauthorized: false,
  });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  const certificate = secure.getPeerX509Certificate();
  if (!certificate) throw new Error('the server has no certificate');
  return { certificate, problem: secure.authorized ? null : String(secure.authorizationError) };
}

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
