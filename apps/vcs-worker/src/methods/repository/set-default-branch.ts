import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { cachedRefs } from '../../cache/content-caches.ts';
import { branchRefusal, defaultBranchRefusal, updateFailureText } from '../../domain/repo/failure-texts.ts';
import { findLock } from '../../domain/repo/repository-lock-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import { findRepository } from '../../domain/repo/repository-store.ts';
import { updateResult } from '../../domain/repo/repository-record.ts';
import type { MethodHandler } from '../context.ts';

export const setDefaultBranch: MethodHandler<'set_default_branch'> = async (args, context) => {
  const { repoid, default_branch: branch, ...others } = args;
  const read = requireRepository(await context.authorize(), repoid);
  if (branch === null || Object.values(others).some((value) => value !== null)) {
    throw defaultBranchRefusal('can only be changed by a call that changes nothing else');
  }
  if (read.type === 'hg') throw defaultBranchRefusal('a Mercurial repository has none');
  const failure = (cause?: unknown) => new OperationFailedError(updateFailureText(repoid.sent), { cause });
  // Read before the operation begins, so that a mistyped name leaves no failed operation.
  const refs = await readRepository(context, read, failure, (backend, path) =>
    cachedRefs(context.contentCaches, read, { backend, path }, context.signal),
  );
  if (!refs.find('branch', branch)) throw branchRefusal(branch);
  const { reserved } = await context.runOperation({ lock: 'update' }, async (scope) => {
    const repository = await lockRepository(scope, repoid, 'update');
    await scope.begin({
      id: scope.operationId,
      kind: 'default_branch',
      repositoryId: repository.id,
      request: { name: repository.name, sent: repoid.sent, branch },
      busyText: updateFailureText(repoid.sent),
    });
    return { repositoryId: repository.id, user: scope.access.user };
  });
  const { repositoryId, user } = reserved;
  const row = await findRepository(context.db, repositoryId, user.id);
  if (!row) throw failure();
  const held = await findLock(context.db, repositoryId);
  return updateResult(row, held, { admin: user.admin, vault: context.vault });
};
