import { toOperationRecord } from '../../jobs/operations/operation-record.ts';
import { requireOperation } from '../../jobs/operations/require-operation.ts';
import type { MethodHandler } from '../context.ts';

export const getOperation: MethodHandler<'get_operation'> = async ({ operation_id: id }, { db, access }) =>
  toOperationRecord(await requireOperation(db, access, id));
