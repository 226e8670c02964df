import { loadDefaultPermissions } from '../../user/default-permission-store.ts';
import type { Handler } from '../context.ts';

export const getDefaultPermissions: Handler<'get_default_permissions'> = async (_args, { db }) =>
  loadDefaultPermissions(db);
