import { userGroupNotFound } from '../../user-group/user-group-store.ts';
import { userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const addUserToUserGroup: MethodHandler<'add_user_to_user_group'> = async (
  { usersgroupid, userid },
  { actOnHolder },
) =>
  actOnHolder(
    { kind: 'add_member', user: userid, userGroup: usersgroupid },
    ({ user, userGroup, changed: success }) => {
      if (!user) throw userNotFound(userid);
      if (!userGroup) throw userGroupNotFound(usersgroupid);
      const msg = success
        ? `added member \`${user.name}\` to user group \`${userGroup.name}\``
        : 'User is already in that group';
      return { success, msg };
    },
  );
