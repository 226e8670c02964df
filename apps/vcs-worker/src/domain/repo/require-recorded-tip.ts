import type { Changeset, VcsBackend } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';

/**
 * Throws VcsError when the recorded tip is missing: the repository is damaged, and other changesets may be lost, too.
 */
export async function requireRecordedTip(
  backend: Pick<VcsBackend, 'resolveRevision'>,
  path: string,
  rawId: string | null,
): Promise<void> {
  if (rawId === null) return;
  try {
    await backend.resolveRevision(path, rawId);
  } catch (cause) {
    if (cause instanceof VcsError && cause.kind === 'unknown-revision') {
      throw new VcsError('failed', 'the recorded tip is missing', { cause });
    }
    throw cause;
  }
}

/**
 * Reads the newest changeset; null for an empty repository. Throws VcsError when a tip is recorded but the repository
 * is empty, since a repository that had changesets never becomes empty.
 */
export async function readTip(
  backend: Pick<VcsBackend, 'tip'>,
  path: string,
  recordedId: string | null,
): Promise<Changeset | null> {
  const tip = await backend.tip(path);
  if (tip || recordedId === null) return tip;
  throw new VcsError('failed', 'the repository has no changesets any more');
}
