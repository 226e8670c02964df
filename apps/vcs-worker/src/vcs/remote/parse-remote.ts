export interface Remote {
  readonly scheme: 'http' | 'https' | 'ssh' | 'git';
  /** Normalised URL without user name and password. */
  readonly url: string;
  readonly username: string | null;
  readonly password: string | null;
}

/** Thrown for a clone_uri that is not allowed. The message is the reason for the client and never quotes the URI. */
export class RemoteRefusedError extends Error {
  override readonly name = 'RemoteRefusedError';
}

type Scheme = Remote['scheme'];

const uriLengthMax = 2048;
const hostLengthMax = 253;
const schemes: Record<'hg' | 'git', readonly Scheme[]> = {
  hg: ['http', 'https', 'ssh'],
  git: ['http', 'https', 'ssh', 'git'],
};

const forbiddenCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\"<>^`{|}]/u;
const encodedControl = /%(?:[01][0-9a-f]|7f)/iu;
const brokenEncoding = /%(?![0-9a-f]{2})/iu;
const withAuthority = /^([a-z][a-z0-9+.-]*):\/\/[^/]/iu;
const scpLike = /^([^@:/]+)@(\[[^\]]+\]|[^@:/[\]]+):(?!\/\/)(.+)$/u;
const hostPattern = /^(?:[a-z0-9_][a-z0-9_.-]*|\[[0-9a-f:.]+\])$/u;
const usernamePattern = /^[^-:\p{Cc}][^:\p{Cc}]*$/u;
/** Excludes `$` and a leading `~`, which Mercurial would expand on the worker before it sends the name. */
const hgUsernamePattern = /^[^-~:$\p{Cc}][^:$\p{Cc}]*$/u;
const sshUsernamePattern = /^[a-z0-9_][a-z0-9_.+-]*$/iu;

/**
 * Parses a clone_uri. Throws RemoteRefusedError for a local path, for a scheme that is not allowed, and for an
 * address that hg, git and this parser could read in different ways.
 */
export function parseRemote(type: 'hg' | 'git', cloneUri: string, options: { sshEnabled: boolean }): Remote {
  refuseCharacters(cloneUri);
  const uri = type === 'git' ? fromScpLike(cloneUri) : cloneUri;
  const scheme = parseScheme(uri, schemes[type], options.sshEnabled);
  if (/[?#]/u.test(uri)) throw new RemoteRefusedError('must not hold a query or a fragment');
  const url = parseUrl(uri);
  const path = url.pathname;
  if (scheme === 'ssh' || scheme === 'git') refusePath(path);
  return {
    scheme,
    url: `${scheme}://${parseHost(url)}${parsePort(url)}${path}`,
    ...parseCredentials(url, scheme, type === 'hg' ? hgUsernamePattern : usernamePattern),
  };
}

function refuseCharacters(uri: string): void {
  if (uri.length > uriLengthMax) throw new RemoteRefusedError('is too long');
  if (forbiddenCharacter.test(uri) || encodedControl.test(uri)) {
    throw new RemoteRefusedError('holds a character that is not allowed');
  }
}

// Forges read `git@host:a/b` like `ssh://git@host/a/b`; a path below a user's home directory needs `ssh://host/~/a/b`.
function fromScpLike(uri: string): string {
  const match = scpLike.exec(uri);
  if (match === null) return uri;
  const [, username = '', host = '', path = ''] = match;
  if (path.startsWith('-')) throw new RemoteRefusedError('has a path that is not allowed');
  return `ssh://${encodeURIComponent(username)}@${host}/${encodeURI(path.replace(/^\//u, ''))}`;
}

function parseScheme(uri: string, known: readonly Scheme[], sshEnabled: boolean): Scheme {
  const name = withAuthority.exec(uri)?.[1]?.toLowerCase();
  const scheme = known.find((candidate) => candidate === name);
  if (scheme === 'ssh' && !sshEnabled) throw new RemoteRefusedError('scheme ssh is not enabled');
  if (scheme !== undefined) return scheme;
  const usable = known.filter((candidate) => candidate !== 'ssh' || sshEnabled);
  throw new RemoteRefusedError(`must start with ${usable.map((each) => `${each}://`).join(' or ')} and a host`);
}

function parseUrl(uri: string): URL {
  if (brokenEncoding.test(uri) || !URL.canParse(uri)) throw new RemoteRefusedError('is malformed');
  return new URL(uri);
}

// WHATWG URLs normalise hosts (IDN, percent-encoding, 127.1) for http alone, so every host is parsed as http.
function parseHost(url: URL): string {
  const asHttp = `http://${url.hostname}/`;
  const host = URL.canParse(asHttp) ? new URL(asHttp).hostname : '';
  if (host.length > hostLengthMax || !hostPattern.test(host)) {
    throw new RemoteRefusedError('has a host that is not allowed');
  }
  return host;
}

function parsePort(url: URL): string {
  if (url.port === '0') throw new RemoteRefusedError('has a port that is not allowed');
  return url.port === '' ? '' : `:${url.port}`;
}

function refusePath(path: string): void {
  if (path === '' || path === '/') throw new RemoteRefusedError('names no repository');
  // Mercurial sends the decoded path without its first slash, so that `-` would begin an option of the remote's hg.
  if (/^\/(?:-|%2d)/iu.test(path)) throw new RemoteRefusedError('has a path that is not allowed');
}

function parseCredentials(url: URL, scheme: Scheme, loginName: RegExp): Pick<Remote, 'username' | 'password'> {
  const username = decode(url.username);
  const password = decode(url.password);
  if (username === null && password !== null) {
    throw new RemoteRefusedError('has a password without a user name');
  }
  if (scheme === 'git' && username !== null) {
    throw new RemoteRefusedError('must not hold credentials with scheme git');
  }
  if (scheme === 'ssh' && password !== null) {
    throw new RemoteRefusedError('must not hold a password with scheme ssh');
  }
  const grammar = scheme === 'ssh' ? sshUsernamePattern : loginName;
  if (username !== null && !grammar.test(username)) {
    throw new RemoteRefusedError('has a user name that is not allowed');
  }
  return { username, password };
}

function decode(component: string): string | null {
  if (component === '') return null;
  try {
    return decodeURIComponent(component);
  } catch {
    throw new RemoteRefusedError('is malformed');
  }
}
