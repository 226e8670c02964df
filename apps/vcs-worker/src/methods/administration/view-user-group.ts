import { requireListedUserGroup } from '../../domain/groups/user-group-list-store.ts';
import type { MethodHandler } from '../context.ts';

export const viewUserGroup: MethodHandler<'view_user_group'> = async ({ usersgroupid }, { db }) =>
  requireListedUserGroup(db, usersgroupid);
