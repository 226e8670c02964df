import { toUserGroupRecord } from '../../user-group/user-group-record.ts';
import { listUserGroups } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUserGroups: MethodHandler<'get_user_groups'> = async (page, { db }) => {
  const rows = await listUserGroups(db, page);
  return rows.map(toUserGroupRecord);
};
