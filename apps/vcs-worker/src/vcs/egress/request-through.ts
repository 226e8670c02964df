import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, connect as startTls, type SecureContext } from 'node:tls';
import type { EgressSession } from './egress-guard.ts';
import { toTarget } from './target.ts';

const bundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

function readTrust(): SecureContext {
  for (const bundle of bundles) {
    try {
      return createSecureContext({ ca: readFileSync(bundle) });
    } catch {
      // This system keeps its certificate bundle at another path.
    }
  }
  return createSecureContext();
}

let known: SecureContext | undefined;

/**
 * Returns a TLS context that trusts the certificate authorities of the system, as git does, else Node's own. It is made for
 * the first remote that needs it, since that takes as long as a quarter of a worker's start.
 */
export function systemTrust(): SecureContext {
  return (known ??= readTrust());
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Called for https alone. */
  readonly trust: () => SecureContext;
}

/** Sends one request to an http or https url over a connection of the session; follows no redirect. */
export async function requestThrough(session: EgressSession, url: URL, sent: Sent): Promise<IncomingMessage> {
  const target = toTarget(url);
  const socket = await session.connect(target);
  const connection = url.protocol === 'https:' ? encrypted(socket, target.host, sent.trust()) : socket;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => connection,
      method: sent.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...sent.headers, Host: url.host, Connection: 'close' },
    });
    request.once('response', resolve).on('error', reject).end(sent.body);
    request.once('close', () => reject(new Error('remote closed the connection')));
  });
}

function encrypted(socket: Socket, host: string, trust: SecureContext): Socket {
  const servername = isIP(host) === 0 ? host : '';
  return startTls({
    // TLS would take the bytes of a socket itself past the session, which counts what the socket reads.
    socket: Duplex.from({ readable: socket, writable: socket }),
    host,
    servername,
    secureContext: trust,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
}
