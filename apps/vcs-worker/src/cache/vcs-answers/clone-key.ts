import { createHash } from 'node:crypto';
import type { RepositoryAccess } from '../../authz/authorize.ts';

const headBytes = 4;
const clientLine = /^(?:agent|session-id)=/;
const clientWord = / (?:agent|session-id)=[^ \n]*/g;

/** Removes what a client tells of itself from the line that has its capabilities; null for a line with nothing else. */
function withoutClient(line: Buffer, protocol: number): Buffer | null {
  const text = line.toString('latin1');
  if (protocol === 2) return clientLine.test(text) ? null : line;
  return Buffer.from(text.replaceAll(clientWord, ''), 'latin1');
}

/**
 * Cuts the body of a fetch into parts that are equal for equal requests of different clients: its lines, without those by
 * which clients name themselves and their sessions. A body in another form is one part.
 */
function fetchParts(body: Buffer, protocol: number): (string | Buffer)[] {
  const parts: (string | Buffer)[] = [];
  // Capabilities are in all lines before the first delimiter in version 2, and in the first line before that.
  let hasCapabilities = true;
  for (let at = 0; at < body.length;) {
    const head = body.toString('latin1', at, at + headBytes);
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
    const end = at + Math.max(length, headBytes);
    if (Number.isNaN(end) || end > body.length) return ['other', body];
    if (length < headBytes) {
      parts.push('special', head);
      hasCapabilities = false;
    } else {
      const line = body.subarray(at + headBytes, end);
      const kept = hasCapabilities ? withoutClient(line, protocol) : line;
      if (kept !== null) parts.push('line', kept);
      if (protocol < 2) hasCapabilities = false;
    }
    at = end;
  }
  return parts;
}

/** Names without an escaped character, which are equal only if they are written in the same way. */
const plainName = /^[\w*-]+$/;

/** Sorts the arguments of a command of Mercurial by name, where their order has no meaning: no name is there twice. */
function sortedHgArgs(args: string): string {
  const pairs = args.split('&');
  const names = pairs.map((pair) => pair.split('=', 1)[0] ?? '');
  const haveMeaning = new Set(names).size < names.length || !names.every((name) => plainName.test(name));
  return haveMeaning ? args : pairs.toSorted().join('&');
}

/** What decides on an answer. Settings are not part of it: they do not change while a process runs. */
export interface CloneKey {
  readonly repositoryId: number;
  readonly digest: string;
}

interface KeyedRequest {
  readonly request: 'git-refs' | 'git-fetch' | 'hg';
  /** Version of git's protocol. */
  readonly protocol: number;
  readonly command: string;
  /** What a Mercurial client understands, which decides on the compression. */
  readonly caps: string;
  readonly body: Buffer;
}

function partsOf({ request, protocol, command, caps, body }: KeyedRequest): readonly (string | Buffer)[] {
  if (request === 'hg') return [request, command, caps, sortedHgArgs(body.toString('latin1'))];
  return [request, String(protocol), ...(request === 'git-fetch' ? fetchParts(body, protocol) : [])];
}

/**
 * Returns the key of an answer. The generation has to be that of the statement that has read the caller's rights, before
 * any byte of the repository: an answer may be newer than its key, and never older.
 */
export function cloneKey({ id, uuid, generation }: RepositoryAccess, request: KeyedRequest): CloneKey {
  const hash = createHash('sha256');
  for (const part of [uuid, String(generation), ...partsOf(request)]) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return { repositoryId: id, digest: hash.digest('base64') };
}
