import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { UnavailableError } from '@trunkline/contracts';
import { Client, ResultCodeError } from 'ldapts';
import { withTimeout } from '@trunkline/runtime/concurrency';

/** An LDAP server that knows passwords. */
export interface Ldap {
  /** Whether this is the password of that entry; throws UnavailableError when the directory does not say. */
  bind(dn: string, password: string): Promise<boolean>;
}

export interface LdapOptions {
  /** ldap:// or ldaps:// with host and port. */
  readonly url: string;
  readonly startTls: boolean;
  /** Certificates (PEM) that are trusted instead of those Node brings along. */
  readonly ca: string | null;
}

const timeoutMs = 5_000;
/** Constraint violation, no such entry, no DN, no password to compare, wrong password, unwilling to take any. */
const refusals: readonly number[] = [19, 32, 34, 48, 49, 53];

/** The client never dials by itself: it is given a connection and knows no other. */
const url = 'ldap://given';

/**
 * The connection under TLS. The client that asked for it is not used again, since it may hold bytes that somebody put
 * into the plain part, and take them for answers.
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
      // Without a password it would be an anonymous bind, and the client takes some words for mechanisms.
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
