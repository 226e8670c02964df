import type { TlsOptions } from 'nats';

/** Options of the NATS client that name the servers. */
export interface ServerOptions {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  /** When present, the client refuses a server that does not offer TLS. */
  readonly tls?: TlsOptions;
}

const urlsOf = (list: string) =>
  list.split(',').map((word) => new URL(word.includes('://') ? word.trim() : `nats://${word.trim()}`));

/** One URL with the scheme tls demands TLS of every server, since the client may use any of them. */
const needTls = (urls: readonly URL[]) => urls.some(({ protocol }) => protocol === 'tls:');

/** Parses a list of servers, separated by commas; user and password are those of the first server. */
export function serverOptions(list: string): ServerOptions {
  const urls = urlsOf(list);
  const servers = urls.map(({ host }) => host);
  const { username = '', password = '' } = urls[0] ?? {};
  const login = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers, ...login, ...(needTls(urls) && { tls: {} }) };
}

/** Returns the addresses of a list of servers, and whether they have to offer TLS. */
export function parseServers(list: string) {
  const urls = urlsOf(list);
  const addresses = urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || 4222),
  }));
  return { addresses, needsTls: needTls(urls) };
}
