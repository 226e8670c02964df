import { toOperationRecord } from '../../journal/operation-record.ts';
import { requireOperation } from '../../journal/require-operation.ts';
import type { MethodHandler } from '../context.ts';

export const getOperation: MethodHandler<'get_operation'> = async ({ operation_id: id }, { db, access }) =>
  toOperationRecord(await requireOperation(db, access, id));
