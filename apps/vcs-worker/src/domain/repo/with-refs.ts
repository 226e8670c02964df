import { OperationFailedError, type EntityRef, type RefRecord } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { cachedRefs } from '../../cache/content-caches.ts';
import type { ReadContext } from '../../methods/context.ts';
import type { Ref, SortedRefs } from '../../vcs/sorted-refs.ts';
import { readRepository } from './read-repository.ts';
import { requireRecordedTip } from './require-recorded-tip.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

/** Acts on the references of a repository, which are read once for each of its generations. */
export async function withRefs<T>(
  repoid: EntityRef,
  context: ReadContext & RepositoryTools,
  act: (refs: SortedRefs) => T | Promise<T>,
): Promise<T> {
  const repository = requireRepository(context.access, repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` refs`, { cause });
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const [refs] = await Promise.all([
      cachedRefs(context.contentCaches, repository, { backend, path }, context.signal),
      requireRecordedTip(backend, path, repository.tipId),
    ]);
    return act(refs);
  });
}

export function toRefRecord({ kind, name, rawId, isClosed }: Ref): RefRecord {
  return { kind, name, raw_id: rawId, closed: isClosed };
}
