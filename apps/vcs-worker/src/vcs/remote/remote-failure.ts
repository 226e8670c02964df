import { diskFailure } from '../disk-failure.ts';
import type { Remote } from './remote.ts';

/** Why an import or pull failed: the closed set that clients are told. */
export type RemoteFailure =
  | 'not found'
  | 'needs login'
  | 'unreachable'
  | 'address refused'
  | 'not a repository'
  | 'broken remote'
  | 'too large'
  | 'timed out';

/** What an HTTP status of the remote means. */
export function failureOfStatus(status: number): RemoteFailure {
  switch (status) {
    case 401:
    case 403:
      return 'needs login';
    case 404:
    case 410:
      return 'not found';
    // A server that does not know the protocol rejects the request.
    case 400:
    case 405:
      return 'not a repository';
    default:
      return 'broken remote';
  }
}

const redirectRefused =
  /only the egress guard is reachable|Redirection to url .* is not allowed|not supported or disabled in libcurl|transport '\w+' not allowed/;
/** Another process holds a lock in the repository of this instance. */
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

/** The lines that the tool itself printed: without the address, and without what it quotes of the remote. */
function ownLines(text: string, { url, scheme }: Pick<Remote, 'url' | 'scheme'>): string {
  const [own = ''] = text.replaceAll(url, '').split(/^(?:---%<---|abort: remote error:)/m);
  // Over ssh only the remote's own lines tell the reason.
  return scheme === 'ssh' ? own : own.replaceAll(/^remote: .*$/gm, '');
}

/** The reason in the output of a tool that failed; null where the cause is the worker's own disk or repository. */
export function failureInText(text: string, remote: Pick<Remote, 'url' | 'scheme'>): RemoteFailure | null {
  const own = ownLines(text, remote);
  if (diskFailure(own) || locked.test(own)) return null;
  if (redirectRefused.test(own)) return 'address refused';
  const [, status] = httpStatus.exec(own) ?? [];
  if (status !== undefined) return failureOfStatus(Number(status));
  return messages.find(([pattern]) => pattern.test(own))?.[1] ?? 'broken remote';
}
