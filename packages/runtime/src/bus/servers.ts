import type { TlsOptions } from 'nats';

/** Options of the NATS client that name the servers. */
interface ServerOptions {
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

/** The first releases of nats-server without known vulnerabilities: of the older maintained line and of the newest. */
const minimumVersions = [
  [2, 11, 12],
  [2, 12, 3],
] as const;

export const minimumVersionText = '2.12.3, or 2.11.12 of the older line';

/** Returns whether a server's version is below the minimum of its line; false for a version that cannot be parsed. */
export function isBelowMinimumVersion(version: string): boolean {
  const [, major, minor, patch] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  const line = minimumVersions.find((minimum) => minimum[0] === major && minimum[1] === minor);
  if (line) return patch < line[2];
  return major < 2 || (major === 2 && minor < 11);
}
