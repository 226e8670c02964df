import type { TlsOptions } from 'nats';

/** Options of the NATS client that name the servers. */
export interface ServerOptions {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  /** When present, the client refuses a server that does not offer TLS. */
  readonly tls?: TlsOptions;
}

/**
 * Parses a list of servers, separated by commas; user and password are those of the first server. One URL with the
 * scheme tls demands TLS of every server, since the client may use any of them.
 */
export function serverOptions(list: string): ServerOptions {
  const urls = list.split(',').map((word) => new URL(word.includes('://') ? word.trim() : `nats://${word.trim()}`));
  const servers = urls.map(({ host }) => host);
  const { username = '', password = '' } = urls[0] ?? {};
  const login = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers, ...login, ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }) };
}
