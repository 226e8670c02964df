import { requireListedUserGroup } from '../../user-group/listed-user-group-store.ts';
import type { Handler } from '../context.ts';

export const viewUserGroup: Handler<'view_user_group'> = async ({ usersgroupid }, { db }) =>
  requireListedUserGroup(db, usersgroupid);
