import { removeMember, requireUserGroup } from '../../user-group/user-group-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const removeUserFromUserGroup: MethodHandler<'remove_user_from_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async ({ db }) => {
    const user = await requireUser(db, userid);
    const group = await requireUserGroup(db, usersgroupid);
    const success = await removeMember(db, user.id, group.id);
    const msg = success
      ? `removed member \`${user.username}\` from user group \`${group.name}\``
      : "User wasn't in group";
    return { success, msg };
  });
