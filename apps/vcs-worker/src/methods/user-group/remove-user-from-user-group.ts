import { userGroupNotFound } from '../../user-group/user-group-store.ts';
import { userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const removeUserFromUserGroup: MethodHandler<'remove_user_from_user_group'> = async (
  { usersgroupid, userid },
  { actOnHolder },
) =>
  actOnHolder(
    { kind: 'remove_member', user: userid, userGroup: usersgroupid },
    ({ user, userGroup, changed: success }) => {
      if (!user) throw userNotFound(userid);
      if (!userGroup) throw userGroupNotFound(usersgroupid);
      const msg = success
        ? `removed member \`${user.name}\` from user group \`${userGroup.name}\``
        : "User wasn't in group";
      return { success, msg };
    },
  );
