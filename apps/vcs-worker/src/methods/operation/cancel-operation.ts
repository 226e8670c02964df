import { ForbiddenError } from '@trunkline/contracts';
import { operationKinds } from '@trunkline/db';
import { requestCancel } from '../../jobs/operations/operation-list-store.ts';
import { requireOperation } from '../../jobs/operations/operation-record.ts';
import { endWithoutStorage } from '../../jobs/runners/end-without-storage.ts';
import type { MethodHandler } from '../context.ts';

const outcomes = {
  'ended now': 'was ended without its storage, which is away',
  requested: 'is being cancelled',
  'requested of another release': 'is being cancelled, which only workers of the release that knows its kind can do',
  'requested before': 'is already being cancelled',
  ended: 'has already ended',
} as const;

const known: ReadonlySet<string> = new Set(operationKinds);

export const cancelOperation: MethodHandler<'cancel_operation'> = async (
  { operation_id: id },
  { transact, announceCancelled, announceEnd },
) => {
  const { ended, outcome, operationId } = await transact(async ({ db, access }) => {
    const operation = await requireOperation(db, access, id);
    const ended = access.user.admin ? await endWithoutStorage(db, operation.id) : null;
    if (ended) return { ended, outcome: 'ended now' as const, operationId: operation.id };
    if (operation.kind === 'delete') throw new ForbiddenError(`operation \`${operation.id}\` cannot be cancelled`);
    const outcome = await requestCancel(db, operation.id);
    const isForeign = outcome === 'requested' && !known.has(operation.kind);
    return { ended, outcome: isForeign ? 'requested of another release' : outcome, operationId: operation.id } as const;
  });
  if (ended) announceEnd(ended);
  else announceCancelled();
  const success = outcome !== 'requested before' && outcome !== 'ended';
  return { success, msg: `operation \`${operationId}\` ${outcomes[outcome]}` };
};
