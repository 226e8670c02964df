import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ClaimedOperation } from '../jobs/operations/claimed-operation.ts';
import type { Storage } from '../storage/storage.ts';
import type { VcsBackend } from '../vcs/backend.ts';

/** A time by the clock of a file system, which need not be that of this machine, in milliseconds. */
export type ChangeTime = number;

/**
 * Returns the time of the storage's file system; files that change from now on have this change time or a later one. The
 * staging directory of the operation's attempt is made for that and removed; a sweep removes what a killed worker leaves.
 */
export async function changeTimeOf(
  storage: Pick<Storage, 'staging'>,
  { id, attempt }: Pick<ClaimedOperation, 'id' | 'attempt'>,
): Promise<ChangeTime> {
  const path = storage.staging(id, attempt);
  await mkdir(path);
  try {
    return (await stat(path)).ctimeMs;
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** The newest changeset of a repository, and a digest of all its references. */
export interface CopiedState {
  readonly tip: string | null;
  readonly refs: string;
}

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
