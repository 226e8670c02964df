import { repositoryCopies, type Transaction } from '@trunkline/db';
import type { NewOperation } from '../../jobs/operations/operation-store.ts';
import type { MoveTarget } from '../../storage/require-storage.ts';
import { moveFailureText } from './failure-texts.ts';
import { insertArriving } from './repository-copy-store.ts';

interface NewFork extends Omit<NewOperation, 'actorId' | 'kind' | 'targetStorageId'> {
  /** Where the repository is to be. */
  readonly storageId: string;
  readonly storagePath: string;
  /** Storage of the source, beside which the fork is built. */
  readonly sourceStorageId: string;
}

/**
 * Begins a fork. One that arrives at another storage than its source has is recorded there as arriving until it has
 * ended, so that a sweep finds what is left of one that has failed.
 */
export async function beginFork(
  tx: Transaction,
  begin: (operation: Omit<NewOperation, 'actorId'>) => Promise<void>,
  { storageId, storagePath, sourceStorageId, ...fork }: NewFork,
): Promise<void> {
  if (storageId === sourceStorageId) return begin({ ...fork, kind: 'fork' });
  await begin({ ...fork, kind: 'fork', targetStorageId: storageId });
  const { id: operationId, repositoryId } = fork;
  await tx
    .insert(repositoryCopies)
    .values({ storageId, storagePath, repositoryId, operationId, role: 'arriving', epoch: 1 });
}

interface NewMove {
  readonly id: string;
  readonly repository: { readonly id: number; readonly name: string; readonly uuid: string };
  readonly target: MoveTarget;
  /** Further members of the operation's request. */
  readonly request?: Readonly<Record<string, unknown>>;
}

/** Begins the move of a repository whose row is locked. */
export async function beginMove(
  tx: Transaction,
  begin: (operation: Omit<NewOperation, 'actorId'>) => Promise<void>,
  { id, repository, target, request }: NewMove,
): Promise<void> {
  const { name, uuid } = repository;
  await begin({
    id,
    kind: 'move',
    repositoryId: repository.id,
    targetStorageId: target.id,
    exclusive: false,
    request: { ...request, name, storage: target.name },
    busyText: moveFailureText(name, target.name),
  });
  await insertArriving(tx, { operationId: id, repositoryId: repository.id, uuid, storageId: target.id });
}
