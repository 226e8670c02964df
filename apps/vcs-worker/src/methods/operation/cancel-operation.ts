import { ForbiddenError } from '@trunkline/contracts';
import { requestCancel } from '../../operations/operation-list-store.ts';
import { requireOperation } from '../../operations/require-operation.ts';
import type { MethodHandler } from '../context.ts';

export const cancelOperation: MethodHandler<'cancel_operation'> = async (
  { operation_id: id },
  { transact, announceCancelled },
) => {
  const outcome = await transact(async ({ db, access }) => {
    const operation = await requireOperation(db, access, id);
    if (operation.kind === 'delete') throw new ForbiddenError(`operation \`${operation.id}\` cannot be cancelled`);
    const success = await requestCancel(db, operation.id);
    return { success, msg: `operation \`${operation.id}\` ${success ? 'is being cancelled' : 'has already ended'}` };
  });
  announceCancelled();
  return outcome;
};
