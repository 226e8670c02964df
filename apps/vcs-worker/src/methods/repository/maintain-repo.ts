import { InvalidArgsError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { cancelAutomatic } from '../../jobs/storage-jobs/maintenance-job.ts';
import { maintenanceFailureText } from '../../domain/repo/failure-texts.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { maintenanceResult } from '../../domain/repo/operation-results.ts';
import type { MethodHandler } from '../context.ts';
import { requestVerification } from '../../jobs/storage-jobs/verification-job.ts';

export const maintainRepo: MethodHandler<'maintain_repo'> = async (args, context) => {
  const { repoid, remove_unreachable: removes } = args;
  const { type } = requireRepository(await context.authorize(), repoid);
  if (removes && type === 'hg') {
    const reason = 'changesets cannot be removed from a Mercurial repository';
    throw new InvalidArgsError(`Invalid value for \`remove_unreachable\`: ${reason}`);
  }
  // One that the service has begun by itself is given up, so that nobody waits for it.
  const isCancelled = await context.transact(({ db, access }) =>
    cancelAutomatic(db, requireRepository(access, repoid).id),
  );
  if (isCancelled) context.announceCancelled();
  const { reserved, ended } = await context.runOperation({ msMax: context.backgroundAfterMs }, async (scope) => {
    const { id, name } = await lockRepository(scope, repoid, 'update');
    await scope.begin({
      id: scope.operationId,
      kind: 'maintain',
      repositoryId: id,
      exclusive: false,
      request: { name, unreachable: removes ? 'removed' : 'kept' },
      busyText: maintenanceFailureText(name),
    });
    return { name, operationId: scope.operationId };
  });
  return maintenanceResult(reserved.name, removes, ended ? null : reserved.operationId);
};

export const verifyRepo: MethodHandler<'verify_repo'> = async ({ repoid }, context) =>
  context.transact(async (scope) => {
    const { id, name } = await lockRepository(scope, repoid, 'key share');
    await requestVerification(scope.db, id);
    return { msg: `All of repository \`${name}\` will be read`, success: true };
  });
