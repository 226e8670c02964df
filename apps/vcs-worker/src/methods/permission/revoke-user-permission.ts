import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { removeHeldRow } from '../../domain/user/change-held-row.ts';
import { levelsOnRepositories } from '../../domain/user/held-row-store.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserPermission: MethodHandler<'revoke_user_permission'> = async ({ repoid, userid }, { transact }) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const change = { holder: userid, object };
    const { holder } = await removeHeldRow({ ...scope, access }, levelsOnRepositories.user, change);
    if (!holder) throw userNotFound(userid);
    return { msg: `Revoked perm for user: \`${holder.name}\` in repo: \`${name}\``, success: true };
  }, 'no key update');
