import { toUserGroupRecord } from '../../domain/groups/user-group-record.ts';
import { findUserGroup, listMembers } from '../../domain/groups/user-group-store.ts';
import { toEmbeddedUserRecord } from '../../domain/user/user-record.ts';
import type { MethodHandler } from '../context.ts';

export const getUserGroup: MethodHandler<'get_user_group'> = async ({ usergroupid }, { db, access, vault }) => {
  const group = await findUserGroup(db, usergroupid);
  if (!group) return null;
  const members = await listMembers(db, group.id);
  const shown = { vault, toAdmin: access.user.admin, addresses: false };
  return { ...toUserGroupRecord(group), members: members.map((member) => toEmbeddedUserRecord(member, shown)) };
};
