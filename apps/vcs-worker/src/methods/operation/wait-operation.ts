import { toOperationRecord } from '../../jobs/operations/operation-record.ts';
import { requireOperation } from '../../jobs/operations/require-operation.ts';
import type { MethodHandler } from '../context.ts';

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
