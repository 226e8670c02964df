import { InvalidArgsError } from '@trunkline/contracts';
import { requireSelf } from '../../authz/require-self.ts';
import { listOperations as list, type OperationFilter } from '../../jobs/operations/operation-list-store.ts';
import { toOperationRecord } from '../../jobs/operations/operation-record.ts';
import { requireOperation } from '../../jobs/operations/require-operation.ts';
import { requireUser } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

function parseState(state: string | null): OperationFilter['state'] {
  if (state === null || state === 'running' || state === 'done' || state === 'failed') return state;
  throw new InvalidArgsError('Invalid value for `state`: must be `running`, `done` or `failed`');
}

export const listOperations: MethodHandler<'list_operations'> = async (
  { state, userid, limit, cursor },
  { db, access },
) => {
  if (userid) requireSelf(access, userid);
  const user = userid && (await requireUser(db, userid));
  if (cursor !== null) await requireOperation(db, access, cursor);
  const filter = { state: parseState(state), actorId: user && user.id, limit, cursor };
  return (await list(db, access.user, filter)).map(toOperationRecord);
};
