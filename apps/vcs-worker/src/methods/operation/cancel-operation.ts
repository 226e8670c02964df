import { ForbiddenError } from '@trunkline/contracts';
import { requestCancel } from '../../operations/operation-list-store.ts';
import { requireOperation } from '../../operations/require-operation.ts';
import type { MethodHandler } from '../context.ts';

const outcomes = {
  requested: 'is being cancelled',
  'requested before': 'is already being cancelled',
  ended: 'has already ended',
} as const;

export const cancelOperation: MethodHandler<'cancel_operation'> = async (
  { operation_id: id },
  { transact, announceCancelled },
) => {
  const reply = await transact(async ({ db, access }) => {
    const operation = await requireOperation(db, access, id);
    if (operation.kind === 'delete') throw new ForbiddenError(`operation \`${operation.id}\` cannot be cancelled`);
    const outcome = await requestCancel(db, operation.id);
    return { success: outcome === 'requested', msg: `operation \`${operation.id}\` ${outcomes[outcome]}` };
  });
  announceCancelled();
  return reply;
};
