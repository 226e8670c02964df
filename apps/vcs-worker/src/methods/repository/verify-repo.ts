import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { requestVerification } from '../../jobs/storage-jobs/verification-store.ts';
import type { MethodHandler } from '../context.ts';

export const verifyRepo: MethodHandler<'verify_repo'> = async ({ repoid }, context) =>
  context.transact(async (scope) => {
    const { id, name } = await lockRepository(scope, repoid, 'key share');
    await requestVerification(scope.db, id);
    return { msg: `All of repository \`${name}\` will be read`, success: true };
  });
