import { requireUserGroup } from '../../domain/groups/user-group-store.ts';
import { removeHeldRow } from '../../domain/user/change-held-row.ts';
import { memberships } from '../../domain/user/held-row-store.ts';
import { requireUser, userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const removeUserFromUserGroup: MethodHandler<'remove_user_from_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async (scope) => {
    const { id } = await requireUser(scope.db, userid);
    const group = await requireUserGroup(scope.db, usersgroupid);
    const change = { holder: { ...userid, id }, object: group.id };
    const { holder: user, changed: success } = await removeHeldRow(scope, memberships, change);
    if (!user) throw userNotFound(userid);
    // The group may have been deleted during the wait for the membership.
    if (!success) await requireUserGroup(scope.db, { ...usersgroupid, id: group.id, name: null });
    const msg = success ? `removed member \`${user.name}\` from user group \`${group.name}\`` : "User wasn't in group";
    return { success, msg };
  });
