import type { IncomingMessage } from 'node:http';
import {
  hgPushCommands,
  hgReadCommands,
  type HgPushCommand,
  type HgReadCommand,
  type VcsPushRequest,
  type VcsReadRequest,
} from '@trunkline/contracts';
import { pathSegments } from '../web/http/path-segments.ts';

/** What a request of a version control client asks for, by its address alone. */
export type VcsRequestKind = VcsReadRequest | VcsPushRequest | 'git-lfs' | 'unknown-service' | 'unknown-command';

/** Types of the bodies of requests. */
export const requestTypes: Partial<Record<VcsRequestKind, string>> = {
  'git-fetch': 'application/x-git-upload-pack-request',
  'git-push': 'application/x-git-receive-pack-request',
  'hg-push': 'application/mercurial-0.1',
};

/** Types of answers; one for Mercurial may have another, which the worker says. */
export const answerTypes: Partial<Record<VcsRequestKind, string>> = {
  'git-refs': 'application/x-git-upload-pack-advertisement',
  'git-fetch': 'application/x-git-upload-pack-result',
  'git-push-refs': 'application/x-git-receive-pack-advertisement',
  'git-push': 'application/x-git-receive-pack-result',
  hg: 'application/mercurial-0.1',
  'hg-push': 'application/mercurial-0.1',
};

export function isPush(kind: VcsRequestKind): kind is VcsPushRequest {
  return kind === 'git-push-refs' || kind === 'git-push' || kind === 'hg-push';
}

export const isOfHg = (kind: VcsRequestKind): boolean =>
  kind === 'hg' || kind === 'hg-push' || kind === 'unknown-command';

export const needsLogin = (kind: VcsRequestKind): boolean => isPush(kind) || kind === 'git-lfs';

export interface VcsAddress {
  readonly kind: VcsRequestKind;
  /** Name or id of the repository; null for an address that can name none. */
  readonly repoid: string | number | null;
  /** What a Mercurial client asks for. */
  readonly command?: HgReadCommand | HgPushCommand;
}

const vcsPattern = /\/info\/(?:refs|lfs)|\/git-(?:upload|receive)-pack|[?&]cmd=/;
const nameCharsMax = 255;
const idMax = 2 ** 31 - 1;

/** Returns the repository that the segments before a service name: `group/name`, `group/name.git` or `_<id>`. */
function repositoryIn(segments: readonly string[]): string | number | null {
  const name = segments.join('/').replace(/\.git$/, '');
  const [, digits] = /^_(\d{1,10})$/.exec(name) ?? [];
  if (digits !== undefined) return Number(digits) <= idMax ? Number(digits) : null;
  // A number would be read as an id.
  const isName = !segments.some((segment) => segment.includes('/')) && !/^\d*$/.test(name);
  return isName && name.length <= nameCharsMax ? name : null;
}

function kindOfService(service: string | null): VcsRequestKind {
  if (service === 'git-upload-pack') return 'git-refs';
  return service === 'git-receive-pack' ? 'git-push-refs' : 'unknown-service';
}

function ofCommand(command: string): Pick<VcsAddress, 'kind' | 'command'> {
  const read = hgReadCommands.find((known) => known === command);
  if (read !== undefined) return { kind: 'hg', command: read };
  const push = hgPushCommands.find((known) => known === command);
  return push === undefined ? { kind: 'unknown-command' } : { kind: 'hg-push', command: push };
}

/**
 * Parses the address of a request by git or Mercurial; returns null for all others, which are those of pages. `isPage`
 * returns whether a page of some repository has such a path: a file may be called `info/refs`. What names a service or
 * a command that is served is of a client in any case, since names of repositories may have the words of pages.
 */
export function parseVcsAddress(
  { method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
  isPage: (segments: readonly string[]) => boolean,
): VcsAddress | null {
  if (!vcsPattern.test(url)) return null;
  const segments = pathSegments(url);
  if (!segments || segments.length === 0 || segments[0] === '_admin') return null;
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
  const address = (kind: VcsRequestKind, words: number): VcsAddress => ({
    kind,
    repoid: repositoryIn(segments.slice(0, segments.length - words)),
  });
  const [last, beforeLast] = [segments.at(-1), segments.at(-2)];
  if (method === 'POST' && last === 'git-upload-pack') return address('git-fetch', 1);
  if (method === 'POST' && last === 'git-receive-pack') return address('git-push', 1);
  const service = query.get('service');
  if (method === 'GET' && last === 'refs' && beforeLast === 'info' && service !== null) {
    return address(kindOfService(service), 2);
  }
  const asked = method === 'GET' || method === 'POST' ? query.get('cmd') : null;
  const hg = asked === null ? null : ofCommand(asked);
  // A repository may be called `group/files`, and no page has such an argument.
  if (hg?.command !== undefined) return { ...hg, repoid: repositoryIn(segments) };
  if (isPage(segments)) return null;
  if (method === 'GET' && last === 'refs' && beforeLast === 'info') return address('unknown-service', 2);
  if (segments.some((segment, at) => segment === 'info' && segments[at + 1] === 'lfs')) return address('git-lfs', 0);
  return hg && { ...hg, repoid: repositoryIn(segments) };
}
