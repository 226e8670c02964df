import { listGrants } from '../../domain/user/global-permission-store.ts';
import { requireHolder } from '../../domain/user/require-holder.ts';
import type { MethodHandler } from '../context.ts';

export const viewGlobalGrants: MethodHandler<'view_global_grants'> = async (named, { db }) => ({
  permissions: await listGrants(db, await requireHolder(db, named)),
});
