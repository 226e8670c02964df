import { randomUUID } from 'node:crypto';
import { requireRepository } from '../../authz/require-repository.ts';
import { beginMove } from '../../domain/repo/begin-arrival.ts';
import { listFamily, lockAll } from '../../domain/repo/fork-family.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { moveResult } from '../../domain/repo/operation-results.ts';
import { measureSizes } from '../../storage/measure-size.ts';
import { requireMoveTarget } from '../../storage/require-storage.ts';
import type { MethodHandler, OperationContext } from '../context.ts';
import type { ArgsOfMethod, Methods } from '@trunkline/contracts';

type Args = ArgsOfMethod<Methods['move_repo']>;

/** Returns the bytes of a family's trees, shared files counted once; null while they are unknown. */
async function familyBytes(repoid: Args['repoid'], { db, authorize, storages }: OperationContext) {
  const { id, storageId } = requireRepository(await authorize(), repoid);
  const storage = storages.of({ storageId });
  const members = await listFamily(db, id, storageId);
  return measureSizes(members.map(({ storagePath }) => storage.absolute(storagePath)));
}

export const moveRepo: MethodHandler<'move_repo'> = async (args, context) => {
  // Before the transaction, since it takes long for large trees.
  const ofFamily = args.family ? await familyBytes(args.repoid, context) : null;
  const { reserved, ended } = await context.runOperation({ msMax: context.backgroundAfterMs }, async (scope) => {
    const { db, access, operationId, begin } = scope;
    const { id, storageId } = requireRepository(access, args.repoid);
    const family = args.family ? await listFamily(db, id, storageId) : [];
    // In the order of ids, as in all transactions: the named repository need not be the first.
    await lockAll(
      db,
      family.map((member) => member.id),
    );
    const named = await lockRepository(scope, args.repoid, 'update');
    const bytes = args.family ? ofFamily : named.sizeBytes;
    const target = await requireMoveTarget(db, args.storage, { storageId: named.storageId, bytes });
    const members = args.family ? await listFamily(db, named.id, named.storageId) : [named];
    const moved = { moved: named.name, others: members.length - 1 };
    // The call's operation is the last one, so that its end is that of the call.
    for (const [at, repository] of members.entries()) {
      const isLast = at === members.length - 1;
      const move = isLast
        ? { id: operationId, request: moved }
        : { id: randomUUID(), request: { ofFamily: operationId } };
      await beginMove(db, begin, { ...move, repository, target });
    }
    return { operationId, name: named.name, moved: { storage: target.name, others: moved.others } };
  });
  return moveResult(reserved.name, reserved.moved, ended ? null : reserved.operationId);
};
