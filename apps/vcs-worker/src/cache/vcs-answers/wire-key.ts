import { createHash } from 'node:crypto';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { fetchParts } from './fetch-parts.ts';
import { sortedHgArgs } from './sorted-hg-args.ts';

/** What decides on an answer. Settings are not part of it: they do not change while a process runs. */
export interface WireKey {
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
export function wireKey({ id, uuid, generation }: RepositoryAccess, request: KeyedRequest): WireKey {
  const hash = createHash('sha256');
  for (const part of [uuid, String(generation), ...partsOf(request)]) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return { repositoryId: id, digest: hash.digest('base64') };
}
