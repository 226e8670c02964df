import { OperationFailedError } from '@trunkline/contracts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { readRepository } from '../../repo/read-repository.ts';
import { readTip } from '../../repo/require-recorded-tip.ts';
import { recordTip } from '../../repo/tip-store.ts';
import type { MethodHandler } from '../context.ts';

export const invalidateCache: MethodHandler<'invalidate_cache'> = async ({ repoid }, context) =>
  context.transact(async (scope) => {
    const repository = await lockRepository(scope, repoid, 'update');
    const toClientError = (cause: Error) =>
      new OperationFailedError('Error occurred during cache invalidation action', { cause });
    const tip = await readRepository(context, repository, toClientError, (backend, path) =>
      readTip(backend, path, repository.tipId),
    );
    await recordTip(scope.db, repository.id, tip);
    return `Caches of repository \`${repository.name}\` was invalidated`;
  });
