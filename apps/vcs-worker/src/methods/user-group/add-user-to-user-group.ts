import { addMember, requireUserGroup } from '../../user-group/user-group-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const addUserToUserGroup: MethodHandler<'add_user_to_user_group'> = async (
  { usersgroupid, userid },
  { transact },
) =>
  transact(async ({ db }) => {
    const user = await requireUser(db, userid);
    const group = await requireUserGroup(db, usersgroupid);
    const success = await addMember(db, user.id, group.id);
    const msg = success
      ? `added member \`${user.username}\` to user group \`${group.name}\``
      : 'User is already in that group';
    return { success, msg };
  });
