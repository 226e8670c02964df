import { OperationFailedError } from '@trunkline/contracts';
import { otherAdminRemains, removeUser } from '../../domain/user/user-change-store.ts';
import { requireUser, userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const deleteUser: MethodHandler<'delete_user'> = async ({ userid }, { transact, announceCallersChanged }) => {
  const { id, username } = await transact(async ({ db }) => {
    const user = await requireUser(db, userid);
    const failure = (cause?: unknown) =>
      new OperationFailedError(`failed to delete user ID:${user.id} ${user.username}`, { cause });
    if (user.username === 'default' || !(await otherAdminRemains(db, user.id))) throw failure();
    // Another call may have deleted the user after this call read the row.
    if (!(await removeUser(db, user.id, failure))) throw userNotFound(userid);
    return user;
  });

  announceCallersChanged(id);
  return { msg: `deleted user ID:${id} ${username}`, user: null };
};
