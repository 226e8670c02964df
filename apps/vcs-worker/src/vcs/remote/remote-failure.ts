import { diskFailure } from '../disk-failure.ts';
import type { Remote } from './remote.ts';

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
const messages: readonly (readonly [RegExp, RemoteFailure])[] = [
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
  return messages.find(([pattern]) => pattern.test(ownText))?.[1] ?? 'broken remote';
}
