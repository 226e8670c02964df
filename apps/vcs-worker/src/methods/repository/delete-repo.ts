import { randomUUID } from 'node:crypto';
import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { markDeleting, withForks } from '../../repo/deletion-store.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import type { MethodHandler } from '../context.ts';

function outcome(forks: string, direct: number): string {
  if (forks === 'detach') return ` Detached ${direct} forks`;
  return forks === 'delete' ? ` Deleted ${direct} forks` : '';
}

export const deleteRepo: MethodHandler<'delete_repo'> = async (args, { runOperation }) => {
  const forks = args.forks ?? '';
  const msg = await runOperation(async (scope) => {
    const { db, operationId, begin } = scope;
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
    for (const { id, name } of doomed) {
      await begin({
        id: id === repository.id ? operationId : randomUUID(),
        kind: 'delete',
        repositoryId: id,
        request: { name },
        busyText: `failed to delete repository \`${repository.name}\``,
      });
    }
    await markDeleting(
      db,
      doomed.map(({ id }) => id),
    );
    return `Deleted repository \`${repository.name}\`${outcome(forks, direct.length)}`;
  });
  return { msg, success: true };
};
