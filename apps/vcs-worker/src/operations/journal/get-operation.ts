import { toOperationRecord } from '../../journal/operation-record.ts';
import { requireOperation } from '../../journal/require-operation.ts';
import type { Handler } from '../context.ts';

export const getOperation: Handler<'get_operation'> = async ({ operation_id: id }, { db, access }) =>
  toOperationRecord(await requireOperation(db, access, id));
