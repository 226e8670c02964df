import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { UnavailableError } from '@trunkline/contracts';
import { Client, ResultCodeError } from 'ldapts';
import { withTimeout } from '@trunkline/runtime/concurrency';

/** An LDAP server that checks passwords. */
export interface Ldap {
  /** Returns whether `password` is that of the entry `dn`; throws UnavailableError when no answer arrives. */
  bind(dn: string, password: string): Promise<boolean>;
}

export interface LdapOptions {
  /** URL with the scheme ldap or ldaps, a host and perhaps a port. */
  readonly url: string;
  /** Whether a connection to an ldap:// URL is upgraded to TLS before a bind; ignored for ldaps://. */
  readonly startTls: boolean;
  /** CA certificates (PEM) to trust instead of those of Node.js; null for those of Node.js. */
  readonly ca: string | null;
}

const timeoutMs = 5_000;
/**
 * LDAP result codes that refuse a password: constraintViolation, noSuchObject, invalidDNSyntax,
 * inappropriateAuthentication, invalidCredentials, unwillingToPerform.
 */
const refusalCodes: readonly number[] = [19, 32, 34, 48, 49, 53];

/** Placeholder URL: `Client` requires one but uses the socket from `createConnection`. */
const unusedUrl = 'ldap://unused.invalid';

/**
 * Upgrades a connection by StartTLS. The LDAP client that sent the StartTLS request is not used again: it may have
 * buffered bytes that an attacker injected before TLS, and would read them as responses.
 */
async function upgradeToTls(plain: Socket, tls: ConnectionOptions): Promise<Socket> {
  const tlsSockets: Socket[] = [];
  const startTlsClient = new Client({
    url: unusedUrl,
    createConnection: () => plain,
    createSecureConnection: () => {
      const socket = connectTls({ ...tls, socket: plain });
      tlsSockets.push(socket);
      return socket;
    },
  });
  await startTlsClient.startTLS();
  const [socket] = tlsSockets;
  if (!socket) throw new Error('StartTLS returned no connection');
  // Removes the parser of the StartTLS client from the new socket.
  return socket.removeAllListeners('data');
}

async function bindOn(socket: Socket, dn: string, password: string): Promise<boolean> {
  try {
    await new Client({ url: unusedUrl, createConnection: () => socket }).bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof ResultCodeError && refusalCodes.includes(error.code)) return false;
    throw error;
  }
}

function throwTimeout(): never {
  throw new Error('the LDAP server did not answer in time');
}

export function createLdap(options: LdapOptions): Ldap {
  const { protocol, hostname, port } = new URL(options.url);
  const secure = protocol === 'ldaps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(port || (secure ? 636 : 389)) };
  const tls = {
    ...address,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(options.ca === null ? {} : { ca: options.ca }),
  };
  return {
    async bind(dn, password) {
      // An empty password would make an anonymous bind, and ldapts reads some words given as DN as SASL mechanisms.
      if (password === '' || !dn.includes('=')) return false;
      const socket = secure ? connectTls(tls) : connect(address);
      // Without a listener, an error after the timeout would end the process.
      socket.on('error', () => {});
      const connectAndBind = async () => {
        await once(socket, secure ? 'secureConnect' : 'connect');
        return bindOn(options.startTls && !secure ? await upgradeToTls(socket, tls) : socket, dn, password);
      };
      try {
        return await withTimeout(connectAndBind(), timeoutMs, throwTimeout);
      } catch (cause) {
        throw new UnavailableError({ cause });
      } finally {
        socket.destroy();
      }
    },
  };
}

export interface LdapSettings {
  /** Null where no LDAP server is configured. */
  readonly url: string | null;
  readonly startTls: boolean;
  /** File of certificates that are trusted; null for those of Node.js. */
  readonly caFile: string | null;
}

/** Reads the certificates and creates the LDAP server; null when none is configured. */
export async function openLdap({ url, startTls, caFile }: LdapSettings): Promise<Ldap | null> {
  if (url === null) return null;
  return createLdap({ url, startTls, ca: caFile === null ? null : await readFile(caFile, 'utf8') });
}
