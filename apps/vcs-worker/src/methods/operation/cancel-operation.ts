import { ForbiddenError } from '@trunkline/contracts';
import { requestCancel } from '../../operations/operation-list-store.ts';
import { requireOperation } from '../../operations/require-operation.ts';
import { endWithoutStorage } from '../../runners/end-without-storage.ts';
import type { MethodHandler } from '../context.ts';

const outcomes = {
  'ended now': 'was ended without its storage, which is away',
  requested: 'is being cancelled',
  'requested before': 'is already being cancelled',
  ended: 'has already ended',
} as const;

export const cancelOperation: MethodHandler<'cancel_operation'> = async (
  { operation_id: id },
  { transact, announceCancelled, announceEnd },
) => {
  const { ended, outcome, operationId } = await transact(async ({ db, access }) => {
    const operation = await requireOperation(db, access, id);
    const ended = access.user.admin ? await endWithoutStorage(db, operation.id) : null;
    if (ended) return { ended, outcome: 'ended now' as const, operationId: operation.id };
    if (operation.kind === 'delete') throw new ForbiddenError(`operation \`${operation.id}\` cannot be cancelled`);
    return { ended, outcome: await requestCancel(db, operation.id), operationId: operation.id };
  });
  if (ended) announceEnd(ended);
  else announceCancelled();
  const success = outcome === 'requested' || outcome === 'ended now';
  return { success, msg: `operation \`${operationId}\` ${outcomes[outcome]}` };
};
