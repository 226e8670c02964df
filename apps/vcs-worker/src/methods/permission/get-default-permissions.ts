import { loadDefaultPermissions } from '../../domain/user/default-permission-store.ts';
import type { MethodHandler } from '../context.ts';

export const getDefaultPermissions: MethodHandler<'get_default_permissions'> = async (_args, { db }) =>
  loadDefaultPermissions(db);
