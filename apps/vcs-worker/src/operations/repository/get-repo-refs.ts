import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Handler } from '../context.ts';

export const getRepoRefs: Handler<'get_repo_refs'> = async ({ repoid }, { access, storage, backends }) => {
  const repository = requireRepository(access, repoid);
  try {
    const refs = await backends[repository.type].refs(storage.absolute(repository.storagePath));
    return {
      bookmarks: Object.fromEntries(refs.bookmarks),
      branches: Object.fromEntries(refs.branches),
      branches_closed: Object.fromEntries(refs.closedBranches),
      tags: Object.fromEntries(refs.tags),
    };
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    throw new OperationFailedError(`failed to get repo: \`${repository.name}\` refs`, { cause: error });
  }
};
