import {
  findUserGroup,
  listMembers,
  listUserGroups,
  requireUserGroup,
  toUserGroupRecord,
  userGroupNotFound,
} from '../../domain/groups/user-group-store.ts';
import { toEmbeddedUserRecord } from '../../domain/user/user-record.ts';
import type { MethodHandler } from '../context.ts';
import { readList } from '../read-list.ts';
import { keepPrincipal } from '../../domain/user/principal.ts';
import { memberships, removeHeldRow } from '../../domain/user/held-row-store.ts';
import { requireUser, userNotFound } from '../../domain/user/user-store.ts';

export const getUserGroup: MethodHandler<'get_user_group'> = async ({ usergroupid }, { db, access, vault }) => {
  const group = await findUserGroup(db, usergroupid);
  if (!group) return null;
  const members = await listMembers(db, group.id);
  const shown = { vault, toAdmin: access.user.admin, addresses: false };
  return { ...toUserGroupRecord(group), members: members.map((member) => toEmbeddedUserRecord(member, shown)) };
};

export const getUserGroups: MethodHandler<'get_user_groups'> = async (page, context) =>
  readList(context, page, {
    read: (tx, _access, part) => listUserGroups(tx, part),
    keyOf: ({ id }) => id,
    toEntry: toUserGroupRecord,
  });

export const addUserToUserGroup: MethodHandler<'add_user_to_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async (scope) => {
    const user = await keepPrincipal(scope, 'user', userid);
    if (!user) throw userNotFound(userid);
    const group = await keepPrincipal(scope, 'user group', usersgroupid);
    if (!group) throw userGroupNotFound(usersgroupid);
    const added = await memberships.add(scope.db).execute({ id: user.id, object: group.id });
    const success = added.length > 0;
    const msg = success
      ? `added member \`${user.name}\` to user group \`${group.name}\``
      : 'User is already in that group';
    return { success, msg };
  });

export const removeUserFromUserGroup: MethodHandler<'remove_user_from_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async (scope) => {
    const { id } = await requireUser(scope.db, userid);
    const group = await requireUserGroup(scope.db, usersgroupid);
    const change = { principal: { ...userid, id }, object: group.id };
    const { principal: user, changed: success } = await removeHeldRow(scope, memberships, change);
    if (!user) throw userNotFound(userid);
    // The group may have been deleted during the wait for the membership.
    if (!success) await requireUserGroup(scope.db, { ...usersgroupid, id: group.id, name: null });
    const msg = success ? `removed member \`${user.name}\` from user group \`${group.name}\`` : "User wasn't in group";
    return { success, msg };
  });
