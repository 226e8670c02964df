import { findStranded } from '../../jobs/runners/end-without-storage.ts';
import type { MethodHandler } from '../context.ts';

export const listStrandedOperations: MethodHandler<'list_stranded_operations'> = async ({ ids }, { db }) => ({
  operation_ids: await findStranded(db, ids),
});
