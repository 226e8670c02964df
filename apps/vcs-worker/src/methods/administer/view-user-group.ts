import { requireListedUserGroup } from '../../user-group/listed-user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const viewUserGroup: MethodHandler<'view_user_group'> = async ({ usersgroupid }, { db }) =>
  requireListedUserGroup(db, usersgroupid);
