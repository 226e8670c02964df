import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import { readTip, recordState } from '../../domain/repo/recorded-state.ts';
import type { MethodHandler } from '../context.ts';

const toClientError = (cause: Error) =>
  new OperationFailedError('Error occurred during cache invalidation action', { cause });

export const invalidateCache: MethodHandler<'invalidate_cache'> = async ({ repoid }, context) => {
  // The repository is read before the transaction, which would otherwise hold a connection while the disk hangs.
  const read = requireRepository(await context.authorize(), repoid);
  const state = await readRepository(context, read, toClientError, async (backend, path) => ({
    id: read.id,
    generation: read.generation,
    tip: await readTip(backend, path, read.tipId),
    defaultBranch: await backend.defaultBranch(path),
  }));
  return context.transact(async (scope) => {
    const { id, name } = await lockRepository(scope, repoid, 'no key update');
    await recordState(scope.db, id, state);
    return `Caches of repository \`${name}\` was invalidated`;
  }, 'no key update');
};
