import { diskFailure, KilledError } from '../process/tool-failure.ts';
import { withoutProgress } from '../progress.ts';
import { VcsError, type VcsErrorKind } from '../vcs-error.ts';
import { RemoteRefusedError, type Remote } from './parse-remote.ts';

/** Reason why an import or pull failed. Clients receive these texts and no others. */
export type RemoteFailure =
  | 'not found'
  | 'needs login'
  | 'unreachable'
  | 'address refused'
  | 'not a repository'
  | 'broken remote'
  | 'too large'
  | 'timed out';

/** Returns the reason for an HTTP status of the remote. */
export function failureOfStatus(status: number): RemoteFailure {
  switch (status) {
    case 401:
    case 403:
      return 'needs login';
    case 404:
    case 410:
      return 'not found';
    // A server that does not speak the protocol of git or hg rejects the request.
    case 400:
    case 405:
      return 'not a repository';
    default:
      return 'broken remote';
  }
}

const redirectRefused =
  /only the egress guard is reachable|Redirection to url .* is not allowed|not supported or disabled in libcurl|transport '\w+' not allowed/;
/** Messages about a lock that another process holds in this instance's own repository. */
const locked = /waiting for lock|\.lock': File exists/;
const httpStatus = /(?:HTTP Error|returned error:) (\d{3})\b/;
const failuresByText: readonly (readonly [RegExp, RemoteFailure])[] = [
  [/could not read (?:Username|Password) for|[Aa]uth\w+ (?:failed|required)|Permission denied \(/, 'needs login'],
  [
    /does not appear to be an? \w+ repository|is this a git repository\?|no Mercurial repository here|update url base from redirection/,
    'not a repository',
  ],
  [/[Rr]epository .*not found|could not be found|not exported|no such repository/, 'not found'],
  [/SSL|TLS|certificate|[Hh]ost key|kex_exchange_identification/, 'unreachable'],
  [/timed out/, 'timed out'],
  [/[Oo]ut of memory|MemoryError|File too large|died of signal 25/, 'too large'],
];

/** Returns the lines that the tool itself printed, without the remote's URL and without text quoted from the remote. */
function ownLines(text: string, { url, scheme }: Pick<Remote, 'url' | 'scheme'>): string {
  const [ownText = ''] = text.replaceAll(url, '').split(/^(?:---%<---|abort: remote error:)/m);
  // Over ssh only the remote's own lines contain the reason.
  return scheme === 'ssh' ? ownText : ownText.replaceAll(/^remote: .*$/gm, '');
}

/** Lines of a remote: git and hg print them behind these words whatever the scheme, and a remote can say anything. */
const remoteLines = /^(?:remote: |(?:fatal|error): remote error: |abort: remote error:).*$/gm;

/** Finds the reason in the output of a failed tool; null when the worker's own disk or repository is the cause. */
export function failureInText(text: string, remote: Pick<Remote, 'url' | 'scheme'>): RemoteFailure | null {
  const ownText = ownLines(text, remote);
  const localText = ownText.replaceAll(remoteLines, '');
  if (diskFailure(localText) || locked.test(localText)) return null;
  if (redirectRefused.test(ownText)) return 'address refused';
  const [, status] = httpStatus.exec(ownText) ?? [];
  if (status !== undefined) return failureOfStatus(Number(status));
  return failuresByText.find(([pattern]) => pattern.test(ownText))?.[1] ?? 'broken remote';
}

const kinds: Readonly<Partial<Record<RemoteFailure, VcsErrorKind>>> = {
  'address refused': 'remote-refused',
  'too large': 'too-large',
  'timed out': 'timeout',
};

/** A failed exchange with a remote; `failure` is the reason. The message is for the log and holds no credentials. */
export class RemoteError extends VcsError {
  readonly failure: RemoteFailure;

  constructor(failure: RemoteFailure, message: string, options?: ErrorOptions) {
    super(kinds[failure] ?? 'remote-failed', message, options);
    this.failure = failure;
  }
}

function failureOf(error: Error): RemoteFailure | null {
  if (error instanceof RemoteError) return error.failure;
  if (error instanceof RemoteRefusedError) return 'address refused';
  // The fetch was cancelled because the time limit of its call was exceeded.
  if (error.name === 'TimeoutError') return 'timed out';
  if (!(error instanceof VcsError) || error instanceof KilledError) return null;
  if (error.kind === 'timeout') return 'timed out';
  // An operation whose process was killed for its memory is not tried again, unlike a read.
  return error.kind === 'too-large' || error.kind === 'busy' ? 'too large' : null;
}

/** Returns the first reason in an error's chain of causes; null when this instance failed, not the remote. */
export function remoteFailureOf(error: unknown): RemoteFailure | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const failure = failureOf(one);
    if (failure) return failure;
  }
  return null;
}

const mask = '*****';
/** Fewer characters of a secret help nobody, and would often be the beginning of a word. */
const fragmentCharsMin = 3;

/** Masks the end of a secret with which a text begins that was cut off in the middle of the secret. */
function withoutFragment(text: string, secret: string): string {
  for (let from = 1; from <= secret.length - fragmentCharsMin; from += 1) {
    const fragment = secret.slice(from);
    if (text.startsWith(fragment)) return mask + text.slice(fragment.length);
  }
  return text;
}

/**
 * Masks the password or token of a remote in a tool's output, of which the beginning may be cut off: a remote can send
 * back the login that it received.
 */
export function withoutLogin(text: string, { scheme, username, password }: Remote): string {
  // Forges accept a token as the user name, without a password.
  const secret = password || (scheme === 'ssh' ? null : username);
  if (!secret) return text;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return [basic, encodeURIComponent(secret), secret].reduce(
    (rest, one) => withoutFragment(rest, one).replaceAll(one, mask),
    text,
  );
}

/** Returns the error of a tool that failed on a remote; `known`, the egress guard's reason, overrides `stderr`. */
export function toolError(what: string, stderr: string, remote: Remote, known: RemoteFailure | null): VcsError {
  const text = withoutProgress(stderr);
  // The reason is searched before the login is masked: a short password may be part of the words that are searched.
  const failure = known ?? failureInText(text, remote);
  const message = `${what}: ${withoutLogin(text, remote)}`;
  return failure ? new RemoteError(failure, message) : new VcsError('failed', message);
}
