import { ConflictError, type EntityRef } from '@trunkline/contracts';
import { repositoryNotFound, type RepositoryAccess } from '../../authz/authorize.ts';
import { requireWriter } from '../../authz/require-repository.ts';
import type { OfferedRequest } from '../../serve/calls/offer-transfer.ts';
import type { OfferedOperation } from '../../serve/calls/run-offered.ts';
import { untouched } from '../../jobs/operations/operation-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { requireUnlocked } from '../../domain/repo/lock-store.ts';
import { movedText } from './push-refusal.ts';
import type { OperationScope } from '../../write-scope.ts';

/** A push into a repository as it was when the push began. */
export interface ArrivingPush extends OfferedRequest {
  readonly ref: EntityRef;
  readonly repository: RepositoryAccess;
}

type Tree = Pick<RepositoryAccess, 'name' | 'storageId' | 'storagePath'>;

/** Throws the client's error when a repository is elsewhere since the push began. */
export function requireSameTree(found: Tree, before: Tree): void {
  const isHere = found.storageId === before.storageId && found.storagePath === before.storagePath;
  if (!isHere) throw new ConflictError(movedText(found.name));
}

const lock = 'update';

/** Begins the operation that makes a push visible, with the rights and the state of the repository at this moment. */
function beginPush({ ref, repository, signal }: ArrivingPush, changes: string) {
  return async (scope: OperationScope): Promise<void> => {
    // Who waits for the outcome of a push that has begun is not asked for any more.
    signal.throwIfAborted();
    const found = await lockRepository(scope, ref, lock);
    if (found.uuid !== repository.uuid) throw repositoryNotFound(ref);
    requireWriter(found.access, ref);
    await requireUnlocked(scope.db, found, scope.access.user);
    requireSameTree(found, repository);
    await scope.begin({
      id: scope.operationId,
      kind: 'push',
      repositoryId: found.id,
      request: { name: found.name, changes, checkedAt: repository.generation, ...untouched },
      busyText: `Repository \`${found.name}\` is busy, push again later`,
    });
  };
}

/** Returns the operation of a push that has arrived, whose changes have this hash. */
export function pushOperation(
  push: ArrivingPush,
  { args, hash, msMax }: Pick<OfferedOperation, 'args' | 'msMax'> & { readonly hash: string },
): OfferedOperation {
  return { method: 'push', args, msMax, clientGone: push.signal, lock, reserve: beginPush(push, hash) };
}
