import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VcsBackend } from '../vcs/backend.ts';
import type { CopiedState } from './copies.ts';

const sorted = (named: ReadonlyMap<string, string>) => [...named].toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Reads the newest changeset of a repository, and a digest of all its references and, in git, of HEAD. */
export async function copiedState(backend: VcsBackend, path: string, signal: AbortSignal): Promise<CopiedState> {
  const reads = backend.forCall(signal);
  const tip = await reads.tip(path);
  const { bookmarks, branches, closedBranches, tags } = await reads.refs(path);
  const head = backend.type === 'git' ? await readFile(join(path, 'HEAD'), 'latin1') : null;
  const all = [head, ...[bookmarks, branches, closedBranches, tags].map(sorted)];
  return { tip: tip?.rawId ?? null, refs: createHash('sha256').update(JSON.stringify(all)).digest('hex') };
}
