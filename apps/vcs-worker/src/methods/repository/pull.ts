import { pullFailureText } from '../../domain/repo/failure-texts.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { untouched } from '../../jobs/operations/operation-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { pullResult } from '../../domain/repo/operation-results.ts';
import type { MethodHandler } from '../context.ts';

export const pull: MethodHandler<'pull'> = async ({ repoid, prune }, { runOperation, authorize }) => {
  // A caller who may not pull locks no row.
  requireRepository(await authorize(), repoid);
  const { reserved: name } = await runOperation({ lock: 'update' }, async (scope) => {
    const { operationId, begin } = scope;
    const repository = await lockRepository(scope, repoid, 'update');
    await begin({
      id: operationId,
      kind: 'pull',
      repositoryId: repository.id,
      request: { name: repository.name, prune, ...untouched },
      busyText: pullFailureText(repository.name),
    });
    return repository.name;
  });
  return pullResult(name);
};
