import { listGrants } from '../../user/global-permission-store.ts';
import { requireHolder } from '../../user/require-holder.ts';
import type { Handler } from '../context.ts';

export const viewGlobalGrants: Handler<'view_global_grants'> = async (named, { db }) => ({
  permissions: await listGrants(db, await requireHolder(db, named)),
});
