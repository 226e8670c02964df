import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import { keepHolder } from '../../domain/user/change-held-row.ts';
import { memberships } from '../../domain/user/held-row-store.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const addUserToUserGroup: MethodHandler<'add_user_to_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async (scope) => {
    const user = await keepHolder(scope, 'user', userid);
    if (!user) throw userNotFound(userid);
    const group = await keepHolder(scope, 'user group', usersgroupid);
    if (!group) throw userGroupNotFound(usersgroupid);
    const added = await memberships.add(scope.db).execute({ id: user.id, object: group.id });
    const success = added.length > 0;
    const msg = success
      ? `added member \`${user.name}\` to user group \`${group.name}\``
      : 'User is already in that group';
    return { success, msg };
  });
