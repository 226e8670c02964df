import { randomUUID } from 'node:crypto';
import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { deletionFailureText } from '../../domain/repo/failure-texts.ts';
import { markDeleting, unclaimedDeletions, withForks } from '../../domain/repo/deletion-store.ts';
import { afterForks } from '../../jobs/operations/operation-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { deletionResult } from '../../domain/repo/operation-results.ts';
import type { MethodHandler } from '../context.ts';

export const deleteRepo: MethodHandler<'delete_repo'> = async (args, { runOperation, storages }) => {
  const forks = args.forks ?? '';
  const { reserved } = await runOperation({}, async (scope) => {
    const { db, operationId, beginDeletions } = scope;
    const repository = await lockRepository(scope, args.repoid, 'update');
    if (!['', 'delete', 'detach'].includes(forks)) {
      throw new InvalidArgsError('Invalid value for `forks`: must be `delete` or `detach`');
    }
    const family = await withForks(db, repository.id);
    const direct = family.filter(({ forkOfId }) => forkOfId === repository.id);
    if (direct.length > 0 && forks === '') {
      throw new ConflictError(`Cannot delete \`${repository.name}\` it still contains attached forks`);
    }
    // Forks are deleted before their source, so that an interrupted deletion leaves no fork without its source.
    const doomed = forks === 'delete' ? family.toReversed() : family.filter(({ id }) => id === repository.id);
    const unclaimed = await unclaimedDeletions(db, storages, doomed.toReversed());
    const deleted = { forks, direct: direct.length };
    const deletions = doomed.map(({ id, name, storageId }) => {
      const isNamed = id === repository.id;
      return {
        id: isNamed ? operationId : randomUUID(),
        repositoryId: id,
        storageId,
        request: { name, ...(isNamed && deleted), ...(unclaimed.size > 0 && afterForks) },
        isClaimed: !unclaimed.has(id),
      };
    });
    await beginDeletions(deletions, deletionFailureText(repository.name));
    await markDeleting(
      db,
      doomed.map(({ id }) => id),
    );
    return deletionResult(repository.name, deleted);
  });
  return reserved;
};
