import { OperationFailedError } from '@trunkline/contracts';
import { holdRepository } from '../../repo/hold-repository.ts';
import { recordTip } from '../../repo/tip-store.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Handler } from '../context.ts';

export const invalidateCache: Handler<'invalidate_cache'> = async ({ repoid }, { transact, storage, backends }) =>
  transact(async (scope) => {
    const repository = await holdRepository(scope, repoid, 'update');
    try {
      const tip = await backends[repository.type].tip(storage.absolute(repository.storagePath));
      await recordTip(scope.db, repository.id, tip);
    } catch (error) {
      if (!(error instanceof VcsError)) throw error;
      throw new OperationFailedError('Error occurred during cache invalidation action', { cause: error });
    }
    return `Caches of repository \`${repository.name}\` was invalidated`;
  });
