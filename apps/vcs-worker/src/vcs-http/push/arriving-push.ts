import { ConflictError, type EntityRef, OperationFailedError } from '@trunkline/contracts';
import { type RepositoryAccess, repositoryNotFound } from '../../authz/authorize.ts';
import { requireWriter, requireRepository } from '../../authz/require-repository.ts';
import type { OfferedRequest } from '../../serve/calls/offer-transfer.ts';
import type { OfferedOperation } from '../../serve/calls/run-offered.ts';
import { untouched } from '../../jobs/operations/operation-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { requireUnlocked } from '../../domain/repo/repository-lock-store.ts';
import type { OperationScope } from '../../write-scope.ts';
import { movedText, refusalOf } from './push-refusal.ts';
import type { ReadContext } from '../../methods/context.ts';

/** Time after which the client of a push that is not applied yet is sent something. */
export const keepAliveMs = 5_000;

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
    // A push that has begun goes on when its client has gone.
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

/** Throws the client's error when the caller may not reach the repository any more, or it is another one or elsewhere. */
async function requireStillThere(
  { authorize, db }: Pick<ReadContext, 'authorize' | 'db'>,
  { ref, repository }: ArrivingPush,
): Promise<void> {
  const found = requireRepository(await authorize(db), ref);
  if (found.uuid !== repository.uuid) throw repositoryNotFound(ref);
  requireSameTree(found, repository);
}

/** Records that a push was refused before its operation began, and throws the client's refusal. */
export async function refuseArrived(
  context: Pick<ReadContext, 'authorize' | 'db' | 'recordRefused'>,
  push: ArrivingPush,
  { error, args }: { readonly error: unknown; readonly args: Readonly<Record<string, unknown>> },
): Promise<never> {
  // The client has gone.
  if (push.signal.aborted) throw error;
  // A repository that was deleted or moved meanwhile is the reason of any failure.
  const refusal = await requireStillThere(context, push).then(
    () => refusalOf(error, push.repository.name),
    (cause: unknown) => refusalOf(cause, push.repository.name),
  );
  if (refusal === null) throw error;
  await context.recordRefused({ method: 'push', args, error: new OperationFailedError(refusal.message) });
  throw refusal;
}
