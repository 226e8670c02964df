import { InvalidArgsError } from '@trunkline/contracts';
import { requireOperation, toOperationRecord } from '../../jobs/operations/operation-record.ts';
import type { MethodHandler } from '../context.ts';
import { requireSelf } from '../../domain/user/target-user.ts';
import { listOperations as list, type OperationFilter } from '../../jobs/operations/operation-list-store.ts';
import { requireUser } from '../../domain/user/user-store.ts';

export const getOperation: MethodHandler<'get_operation'> = async ({ operation_id: id }, { db, access }) =>
  toOperationRecord(await requireOperation(db, access, id));

export const waitOperation: MethodHandler<'wait_operation'> = async (
  { operation_id: id, timeout },
  { db, access: accessAtStart, authorize, waitForOperationEnd },
) => {
  const until = performance.now() + timeout * 1_000;
  let access = accessAtStart;
  let mayWait = true;
  for (;;) {
    const row = await requireOperation(db, access, id);
    const msLeft = until - performance.now();
    if (row.state !== 'running' || msLeft <= 0 || !mayWait) return toOperationRecord(row);
    mayWait = await waitForOperationEnd(row.id, msLeft);
    access = await authorize(db);
  }
};

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
