import type { Changeset, VcsBackend } from '../vcs/backend.ts';
import { VcsError } from '../vcs/vcs-error.ts';

/** Fails where the changeset that is recorded as the newest is gone: with it went nobody knows what else. */
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
      throw new VcsError('failed', 'the newest changeset is not there', { cause });
    }
    throw cause;
  }
}

/** The newest changeset as it is now. Nothing takes every changeset away from a repository that had some. */
export async function readTip(
  backend: Pick<VcsBackend, 'tip'>,
  path: string,
  recordedId: string | null,
): Promise<Changeset | null> {
  const tip = await backend.tip(path);
  if (tip || recordedId === null) return tip;
  throw new VcsError('failed', 'there is no changeset any more');
}
