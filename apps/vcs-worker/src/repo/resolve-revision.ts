import type { RepositoryAccess } from '../authz/authorize.ts';
import type { VcsReads } from '../vcs/backend.ts';
import { meansTip } from '../vcs/revision.ts';

/** Returns the raw id of a revision that a client sent. The tip is the recorded one; without one, reads the bytes. */
export async function resolveRevision(
  { tipId }: RepositoryAccess,
  backend: VcsReads,
  path: string,
  revision: string | number | null,
): Promise<string> {
  const known = meansTip(revision) ? tipId : null;
  return known ?? backend.resolveRevision(path, revision);
}
