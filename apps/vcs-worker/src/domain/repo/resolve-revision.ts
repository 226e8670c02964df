import type { RepositoryAccess } from '../../authz/authorize.ts';
import { replyKey } from '../../cache/reply-cache.ts';
import { isUnchanged } from '../../cache/unchanged-store.ts';
import type { ReadContext } from '../../methods/context.ts';
import type { VcsReads } from '../../vcs/backend.ts';
import { meansTip } from '../../vcs/revision.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

type Tools = Pick<ReadContext & RepositoryTools, 'db' | 'replyCache' | 'signal'>;

/**
 * Returns the raw id of a revision that a client sent. The tip is the recorded one; without one, reads the bytes. Ids are
 * cached like replies.
 */
export async function resolveRevision(
  { db, replyCache, signal }: Tools,
  repository: RepositoryAccess,
  { backend, path }: { readonly backend: Pick<VcsReads, 'forCall'>; readonly path: string },
  revision: string | number | null,
): Promise<string> {
  if (meansTip(revision) && repository.tipId !== null) return repository.tipId;
  const wanted = {
    make: async (shared: AbortSignal) => Buffer.from(await backend.forCall(shared).resolveRevision(path, revision)),
    isUnchanged: () => isUnchanged(db, repository),
  };
  const rawId = await replyCache.get(replyKey('revision', { revision }, repository), wanted, signal);
  return Buffer.from(rawId).toString('latin1');
}
