import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { readRepository } from '../../repo/read-repository.ts';
import { requireRecordedTip } from '../../repo/require-recorded-tip.ts';
import type { MethodHandler } from '../context.ts';

export const getRepoRefs: MethodHandler<'get_repo_refs'> = async ({ repoid }, context) => {
  const repository = requireRepository(context.access, repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` refs`, { cause });
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const [refs] = await Promise.all([backend.refs(path), requireRecordedTip(backend, path, repository.tipId)]);
    return {
      bookmarks: Object.fromEntries(refs.bookmarks),
      branches: Object.fromEntries(refs.branches),
      branches_closed: Object.fromEntries(refs.closedBranches),
      tags: Object.fromEntries(refs.tags),
    };
  });
};
