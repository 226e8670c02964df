import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { UnavailableError } from '@trunkline/contracts';
import { Client, ResultCodeError } from 'ldapts';
import { withTimeout } from '@trunkline/runtime/concurrency';

/** An LDAP server that checks passwords. */
export interface Ldap {
  /** Whether a password is that of an entry; throws UnavailableError when the LDAP server gives no answer. */
  bind(dn: string, password: string): Promise<boolean>;
}

export interface LdapOptions {
  /** ldap:// or ldaps:// with host and port. */
  readonly url: string;
  readonly startTls: boolean;
  /** Trusted certificates (PEM) in place of Node's own. */
  readonly ca: string | null;
}

const timeoutMs = 5_000;
/**
 * Result codes of a refusal: constraint violation, no such entry, invalid DN, no password to compare, wrong password,
 * unwilling.
 */
const refusals: readonly number[] = [19, 32, 34, 48, 49, 53];

/** A dummy address: the client uses the connection it is given and never connects itself. */
const url = 'ldap://given';

/**
 * Upgrades a connection by StartTLS. The client that asked for the upgrade is not used again: it may have buffered
 * bytes that an attacker injected before TLS, and would read them as responses.
 */
async function upgraded(plain: Socket, tls: ConnectionOptions): Promise<Socket> {
  const made: Socket[] = [];
  const asking = new Client({
    url,
    createConnection: () => plain,
    createSecureConnection: () => {
      const socket = connectTls({ ...tls, socket: plain });
      made.push(socket);
      return socket;
    },
  });
  await asking.startTLS();
  const [socket] = made;
  if (!socket) throw new Error('StartTLS gave no connection');
  return socket.removeAllListeners('data');
}

async function ask(socket: Socket, dn: string, password: string): Promise<boolean> {
  try {
    await new Client({ url, createConnection: () => socket }).bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof ResultCodeError && refusals.includes(error.code)) return false;
    throw error;
  }
}

function late(): never {
  throw new Error('no answer in time');
}

export function openLdap(options: LdapOptions): Ldap {
  const { protocol, hostname, port } = new URL(options.url);
  const secure = protocol === 'ldaps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(port || (secure ? 636 : 389)) };
  const tls = {
    ...to,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(options.ca === null ? {} : { ca: options.ca }),
  };
  return {
    async bind(dn, password) {
      // An empty password would be an anonymous bind, and the client reads some words as SASL mechanisms.
      if (password === '' || !dn.includes('=')) return false;
      const socket = secure ? connectTls(tls) : connect(to);
      socket.on('error', () => {});
      const asked = async () => {
        await once(socket, secure ? 'secureConnect' : 'connect');
        return ask(options.startTls && !secure ? await upgraded(socket, tls) : socket, dn, password);
      };
      try {
        return await withTimeout(asked(), timeoutMs, late);
      } catch (cause) {
        throw new UnavailableError({ cause });
      } finally {
        socket.destroy();
      }
    },
  };
}
