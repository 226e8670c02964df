import type { Transaction } from '@trunkline/db';
import type { NewOperation } from '../../jobs/operations/operation-store.ts';
import type { MoveTarget } from '../../storage/require-move-target.ts';
import { moveFailureText } from './failure-texts.ts';
import { insertArriving } from './repository-copy-store.ts';

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
