import type { IncomingMessage } from 'node:http';
import {
  hgPushCommands,
  hgReadCommands,
  type HgPushCommand,
  type HgReadCommand,
  type WirePushRequest,
  type WireRequest,
} from '@trunkline/contracts';
import { pathSegments } from '../web/http/path-segments.ts';

/** What a request of a version control client asks for, by its address alone. */
export type WireKind = WireRequest | WirePushRequest | 'git-lfs' | 'unknown-service' | 'unknown-command';

export interface WireAddress {
  readonly kind: WireKind;
  /** Name or id of the repository; null for an address that can name none. */
  readonly repoid: string | number | null;
  /** What a Mercurial client asks for. */
  readonly command?: HgReadCommand | HgPushCommand;
}

const wirePattern = /\/info\/(?:refs|lfs)|\/git-(?:upload|receive)-pack|[?&]cmd=/;
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

function kindOfService(service: string | null): WireKind {
  if (service === 'git-upload-pack') return 'git-refs';
  return service === 'git-receive-pack' ? 'git-push-refs' : 'unknown-service';
}

function ofCommand(command: string): Pick<WireAddress, 'kind' | 'command'> {
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
export function parseWireAddress(
  { method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
  isPage: (segments: readonly string[]) => boolean,
): WireAddress | null {
  if (!wirePattern.test(url)) return null;
  const segments = pathSegments(url);
  if (!segments || segments.length === 0 || segments[0] === '_admin') return null;
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
  const address = (kind: WireKind, words: number): WireAddress => ({
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
