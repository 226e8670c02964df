import { crashPoint } from '../../crash-points.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { removeUserLevel } from '../../repo/permission-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserPermission: MethodHandler<'revoke_user_permission'> = async ({ repoid, userid }, { transact }) =>
  transact(async (scope) => {
    const { db } = scope;
    const repository = await lockRepository(scope, repoid, 'no key update');
    const user = await requireUser(db, userid);
    await removeUserLevel(db, user.id, repository.id);
    crashPoint('revoke.level-removed');
    return { msg: `Revoked perm for user: \`${user.username}\` in repo: \`${repository.name}\``, success: true };
  });
